"""No key, no cloud, no phone-home: what a newcomer runs first needs nothing beyond the loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.no_network import Runner, has_namespaces, in_namespace, under_guard, without_network

_PROBE = """
import errno, socket
with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), timeout=5):
    pass
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as error:
    print(errno.errorcode.get(error.errno, "refused") if error.errno else type(error).__name__)
try:
    socket.getaddrinfo("example.com", 80)
except OSError as error:
    print(type(error).__name__)
"""
_NAMESPACE = pytest.param(
    in_namespace,
    ["ENETUNREACH", "gaierror"],
    marks=pytest.mark.skipif(not has_namespaces(), reason="no network namespace can be made here: the guard stands in"),
)


def _memstream(*arguments: str) -> subprocess.CompletedProcess[str]:
    return without_network([sys.executable, "-m", "memstream", "--json", *arguments])


def _answer(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert result.returncode == 0, result.stderr[-3000:]
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


@pytest.mark.parametrize(("run", "refusals"), [_NAMESPACE, (under_guard, ["PermissionError", "PermissionError"])])
def test_what_blocks_the_network_does_so_and_spares_the_loopback(run: Runner, refusals: list[str]) -> None:
    result = run([sys.executable, "-c", _PROBE])
    assert (result.stdout.split(), result.returncode) == (refusals, 0), result.stderr


def test_the_demo_needs_no_network() -> None:
    story = _answer(_memstream("demo"))
    assert story["equal"] is True
    assert story["facts"] > 0
    for context in story["contexts"]:
        assert context["legs_failed"] == []
        assert context["items"]


def _turns(session: int, *texts: str) -> list[dict[str, str]]:
    return [
        {"speaker": ("Ines", "Jonas")[index % 2], "dia_id": f"D{session}:{index + 1}", "text": text}
        for index, text in enumerate(texts)
    ]


CONVERSATION = {
    "sample_id": "allotment",
    "conversation": {
        "speaker_a": "Ines",
        "speaker_b": "Jonas",
        "session_1_date_time": "6:15 pm on 4 March, 2024",
        "session_1": _turns(
            1,
            "I finally got the allotment by the canal.",
            "Lovely! What will you grow first?",
            "Broad beans, and a row of beetroot.",
            "My neighbour swears by seaweed as a fertiliser.",
            "The shed leaks, though. I must mend the roof.",
            "I can bring my ladder on Saturday.",
        ),
        "session_2_date_time": "9:02 am on 11 March, 2024",
        "session_2": _turns(
            2,
            "The shed is dry now, thanks to you.",
            "Glad to hear it. I started the cello again, by the way.",
            "After how many years?",
            "Eleven. My teacher is called Petra.",
            "Will you play at the summer fair?",
            "Only if it rains and nobody comes.",
        ),
    },
    "qa": [
        {"question": "Which vegetables did Ines want to plant?", "answer": "beans", "evidence": ["D1:3"], "category": 1},
        {"question": "Which instrument does Jonas play?", "answer": "the cello", "evidence": ["D2:2"], "category": 1},
        {"question": "Who teaches Jonas?", "answer": "Petra", "evidence": ["D2:4"], "category": 1},
    ],
}


@pytest.mark.nightly  # each day the demo shows the same of all services
def test_the_evaluation_of_recall_needs_no_network(tmp_path: Path) -> None:
    data = tmp_path / "tiny.json"
    data.write_text(json.dumps([CONVERSATION]))
    scores = _answer(_memstream("eval", "recall", "--data", str(data)))
    assert (scores["questions"], scores["incomplete"]) == (3, 0)
    assert scores["recall_at_5"] == 1.0
