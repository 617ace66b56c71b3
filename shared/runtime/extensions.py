"""The C extensions, which a process imports in its main thread before it begins another.

Threads that import parts of numpy at the same time leave it half loaded, for as long as the process lives: every question
fails then, until the next start.
"""

import os
from contextlib import suppress
from importlib import import_module


def import_extensions(*others: str) -> None:
    """Import numpy, and these where they are installed: whoever needs one that is not, says so. Call it in the main thread.

    numpy multiplies in the thread that asks: its library reads the environment once, when it is loaded. The matrices of a
    question are small. With a thread for each core, all wait for each other, spinning: 30 of 49 ms of a processor for a
    question, on two busy cores. What the operator has set stays.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # from 1.30 on onnxruntime sends by default, also on Linux and macOS
    for name in ("numpy", *others):
        with suppress(ImportError):
            import_module(name)
