"""What the doctor says of the retriever's workers."""

from __future__ import annotations

from typing import Any

import pytest

from memstream.cli.doctor import workers_found
from shared.contracts.errors import Misconfigured


def worker(first: int, last: int, *, stands_in: bool = False) -> dict[str, Any]:
    return {"slots": [first, last], "pid": 1, "memory_mb": 150, "position": 0, "stands_in": stands_in}


def test_workers_that_are_all_there_are_counted_with_their_memory() -> None:
    assert workers_found([worker(0, 63)]) == "1 process, 150 MB"
    assert workers_found([worker(0, 31), worker(32, 63)]) == "2 processes, 300 MB"


def test_a_worker_for_whom_another_process_answers_is_missed() -> None:
    with pytest.raises(
        Misconfigured, match=r"^1 of 2 workers is not there, and another process answers for the slots 32 to 63"
    ):
        workers_found([worker(0, 31), worker(32, 63, stands_in=True)])
    with pytest.raises(Misconfigured, match=r"^2 of 2 workers are not there, .* the slots 0 to 31, 32 to 63;"):
        workers_found([worker(0, 31, stands_in=True), worker(32, 63, stands_in=True)])
