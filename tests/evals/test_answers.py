"""A model's replies, from an endpoint on loopback that reads the context it is given."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memstream.evaluation.replies import Replied, accuracy, f1, holds, says_yes
from tests.evals.commands import command, evaluated
from tests.evals.conversations import write_conversations

_KNOWN = ("Petrel", "Dunmore", "oboe", "pear trees", "a teacher")


class Scribe:
    """A model that repeats what of some words stands in its context; keeps what it was asked."""

    def __init__(self, status: int = 200, *, silent_in: int | None = None) -> None:
        self.status = status
        self.silent_in = silent_in  # the run in which it knows nothing
        self.url = ""
        self.asked: list[dict[str, Any]] = []

    def reply(self, asked: dict[str, Any]) -> str:
        system, message = (each["content"] for each in asked["messages"])
        if "yes or no" in system:
            return "No." if "Reply: unknown" in message else "Yes."
        if asked["seed"] == self.silent_in:
            return "unknown"
        return " ".join(word for word in _KNOWN if word in message) or "unknown"


@contextmanager
def endpoint(scribe: Scribe) -> Iterator[Scribe]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            scribe.asked.append(asked)
            message = {"role": "assistant", "content": scribe.reply(asked)}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            raw = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}).encode()
            self.send_response(scribe.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    scribe.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield scribe
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.timeout(300)
def test_with_a_context_the_model_answers_and_without_it_does_not(tmp_path: Path) -> None:
    file = write_conversations(tmp_path / "small.json")
    with endpoint(Scribe()) as model:
        line = ("answers", str(file), "--model", "m", "--base-url", model.url, "--budget", "700", "--runs", "2", "--judge")
        result = evaluated(*line, MEMSTREAM_EMBEDDER_KIND="hashing")
    without, within = result["budgets"]
    assert (without["budget_tokens"], without["mean_tokens"], without["holds"], without["judged"]) == (0, 0, 0.0, 0.0)
    assert (within["budget_tokens"], within["runs"], within["holds"], within["judged"]) == (700, 2, 1.0, 1.0)
    assert 0 < within["mean_tokens"] <= 700
    assert 0 < within["f1"] < 1
    assert within["f1_spread"] == 0.0
    assert {asked["seed"] for asked in model.asked} == {0, 1}


@pytest.mark.timeout(300)
def test_three_budgets_are_asked_three_times_and_the_runs_are_told_apart(tmp_path: Path) -> None:
    file = write_conversations(tmp_path / "small.json")
    with endpoint(Scribe(silent_in=2)) as model:
        line = ("answers", str(file), "--model", "m", "--base-url", model.url)
        result = evaluated(*line, MEMSTREAM_EMBEDDER_KIND="hashing")
    assert [row["budget_tokens"] for row in result["budgets"]] == [0, 700, 2_000, 7_000]
    for row in result["budgets"][1:]:
        assert 0 < row["mean_tokens"] <= row["budget_tokens"]
        assert (row["runs"], row["holds"], row["holds_spread"]) == (3, 0.6667, 0.5774)
        assert "judged" not in row
    assert {asked["seed"] for asked in model.asked} == {0, 1, 2}


def test_without_a_model_the_command_says_what_to_give(tmp_path: Path) -> None:
    done = command("answers", str(write_conversations(tmp_path / "small.json")))
    assert done.code
    assert "--model" in done.err
    assert "--base-url" in done.err


def test_without_an_endpoint_the_command_says_what_to_give(tmp_path: Path) -> None:
    done = command("answers", str(write_conversations(tmp_path / "small.json")), "--model", "m")
    assert done.code
    assert "--base-url" in done.err


def test_an_endpoint_that_refuses_is_named_before_anything_is_imported(tmp_path: Path) -> None:
    with endpoint(Scribe(status=401)) as model:
        done = command("answers", str(write_conversations(tmp_path / "s.json")), "--model", "m", "--base-url", model.url)
    assert done.code
    assert "HTTP 401" in done.err
    assert len(model.asked) == 1


def test_the_spread_is_that_of_the_runs() -> None:
    replies = [Replied(run, f1=value, holds=value > 0.5) for run, value in ((0, 0.0), (0, 1.0), (1, 1.0), (1, 1.0))]
    result = accuracy(replies)
    assert (result["runs"], result["f1"], result["holds"]) == (2, 0.75, 0.75)
    assert result["f1_spread"] == pytest.approx(0.3536, abs=1e-4)
    assert "judged" not in result


@pytest.mark.parametrize(
    ("reply", "answer", "shared", "held"),
    [
        ("The oboe.", "oboe", 1.0, True),
        ("unknown", "oboe", 0.0, False),
        ("the oboes", "oboe", 0.0, False),
        ("She plays the oboe", "an oboe", 0.5, True),
        ("", "oboe", 0.0, False),
    ],
)
def test_a_reply_is_compared_word_by_word(reply: str, answer: str, shared: float, held: bool) -> None:  # noqa: FBT001
    assert f1(reply, answer) == shared
    assert holds(reply, answer) is held


@pytest.mark.parametrize(("verdict", "agrees"), [("Yes.", True), ("yes, it does", True), ("No", False), ("", False)])
def test_a_verdict_is_its_first_word(verdict: str, agrees: bool) -> None:  # noqa: FBT001
    assert says_yes(verdict) is agrees
