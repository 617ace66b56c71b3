"""How many threads numpy reckons with."""

import os


def reckon_in_one_thread() -> None:
    """Let numpy multiply in the thread that asks. Call it before numpy is loaded: its library reads the environment, once.

    The matrices of a question are small. With a thread for each core, all wait for each other, spinning: 30 of 49 ms of a
    processor for a question, on two busy cores. What the operator has set stays.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
