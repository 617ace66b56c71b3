"""What the doctor says of the retriever's workers, and of the models that are configured."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from memstream.cli.doctor import workers_found
from shared.contracts.errors import Misconfigured
from tests.support.chat_endpoint import chat_endpoint
from tests.support.embeddings_endpoint import Mishap, embeddings_endpoint
from tests.support.forks import printed


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


def checked(root: Path, **settings: str) -> dict[str, dict[str, Any]]:
    """What the doctor says of each check; its exit code agrees with it."""
    environment = {**os.environ, **{f"MEMSTREAM_{name}": value for name, value in settings.items()}}
    found = printed("memstream", "doctor", "--json", "--data-dir", str(root), environment=environment)
    assert found.code == (0 if found.document["ok"] else 7)
    return {check["name"]: check for check in found.document["checks"]}


def test_models_that_answer_are_well(tmp_path: Path) -> None:
    with embeddings_endpoint() as embeddings, chat_endpoint() as chat:
        found = checked(
            tmp_path / "data", EMBEDDER_KIND="openai", EMBEDDER_BASE_URL=embeddings.url,
            LLM_MODEL="any", LLM_BASE_URL=chat.url,
        )  # fmt: skip
    assert (found["embedder"]["ok"], found["model"]["ok"]) == (True, True)
    assert (found["embedder"]["detail"], found["model"]["detail"]) == ("text-embedding-3-large makes vectors", "any answers")


def test_a_model_that_does_not_answer_or_refuses_is_told_of_with_its_settings(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9/v1"
    found = checked(tmp_path / "data", EMBEDDER_KIND="openai", EMBEDDER_BASE_URL=nowhere, LLM_MODEL="any", LLM_BASE_URL=nowhere)
    for name, prefix in (("embedder", "MEMSTREAM_EMBEDDER"), ("model", "MEMSTREAM_LLM")):
        assert not found[name]["ok"]
        assert f"mend {prefix}_BASE_URL" in found[name]["detail"]
    with embeddings_endpoint() as embeddings:
        embeddings.mishaps.append(Mishap(status=401))
        refused = checked(tmp_path / "data", EMBEDDER_KIND="openai", EMBEDDER_BASE_URL=embeddings.url)["embedder"]
    assert not refused["ok"]
    assert "401" in refused["detail"]


def test_a_model_of_this_process_is_loaded_and_one_that_is_switched_off_is_not_missed(tmp_path: Path) -> None:
    assert checked(tmp_path / "data", EMBEDDER_KIND="minilm")["embedder"]["ok"]
    assert checked(tmp_path / "data", EMBEDDER_KIND="none")["embedder"]["ok"]


def test_what_the_doctor_advises_is_printed_whole(tmp_path: Path) -> None:
    said = printed(
        "memstream", "doctor", "--data-dir", str(tmp_path / "data"), environment={**os.environ, "COLUMNS": "200"}
    ).out
    assert "pip install 'memstream[ner]'" in said
