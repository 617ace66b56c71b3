"""In which order the files of tests are run."""

from collections.abc import Iterable

WAITING = ("tests/acceptance/", "tests/integration/")
"""Where tests start servers and processes, and wait for them more than they work."""
AT_THE_END = 0.15
"""Of those that only work, so that no worker begins a long file when the others are done."""


def mixed(files: Iterable[str]) -> list[str]:
    """These files, each kind in its order: between two that wait come so many that only work as there are to each of them."""
    every = list(files)
    waiting = [file for file in every if file.startswith(WAITING)]
    working = [file for file in every if not file.startswith(WAITING)]
    spread = len(working) - round(AT_THE_END * len(working)) if waiting else 0
    order: list[str] = []
    for number, file in enumerate(waiting):
        order.append(file)
        order += working[number * spread // len(waiting) : (number + 1) * spread // len(waiting)]
    return order + working[spread:]
