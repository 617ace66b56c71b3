"""What every extractor of facts guarantees, and a loopback endpoint that stands for a model."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from services.consolidator.domain.extraction import MOST_FACTS, FactExtractor, SaidTurn
from services.consolidator.domain.rules import RuleExtractor
from services.consolidator.llm import LlmExtractor
from shared.contracts.commands import SaveFacts
from shared.contracts.ids import MemoryId, MessageId, SessionId
from shared.contracts.parts import MAX_TEXT_CHARACTERS, Role

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)
Json = dict[str, Any]


def said(*texts: str, role: Role = Role.USER, speaker: str | None = "Anna") -> list[SaidTurn]:
    return [
        SaidTurn(MemoryId(f"ep_{number}"), number=number, role=role, speaker=speaker, text=text, occurred_at=NOON)
        for number, text in enumerate(texts, start=1)
    ]


def stated(text: str, *sources: int, **more: object) -> Json:
    return {"text": text, "sources": sources, "kinds": [], "asked_to_remember": False, "confidence": 0.9} | more


@dataclass
class ChatEndpoint:
    """Speaks chat completions; gives the canned answers in turn, the last for ever, and keeps what it was asked."""

    url: str = ""
    facts: Callable[[list[Json]], list[Json]] = field(default=lambda _: [])
    content: str | None = None
    message: Json = field(default_factory=dict)
    finish_reason: str = "stop"
    status: int = 200
    body: str | None = None
    pause_s: float = 0.0
    asked: list[Json] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def answer(self) -> str:
        turns = json.loads(self.asked[-1]["messages"][1]["content"])
        content = self.content if self.content is not None else json.dumps({"facts": self.facts(turns)})
        message = {"role": "assistant", "content": content, "refusal": None} | self.message
        choice = {"index": 0, "finish_reason": self.finish_reason, "message": message}
        answer = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        return json.dumps(answer) if self.body is None else self.body


@contextmanager
def chat_endpoint() -> Iterator[ChatEndpoint]:
    """An endpoint on a free port of loopback, until the block ends."""
    endpoint = ChatEndpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            endpoint.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            endpoint.keys.append(self.headers["authorization"])
            time.sleep(endpoint.pause_s)
            raw = endpoint.answer().encode()
            self.send_response(endpoint.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.send_header("retry-after-ms", "5")  # keeps the SDK's waits short
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Nothing: a client that stopped waiting is part of the tests."""

    server = Server(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def echo(turns: list[Json]) -> list[Json]:
    """A model that takes each of the user's statements as a fact."""
    return [stated(f"Anna says: {turn['text'][:500]}", turn["turn"]) for turn in turns if turn["role"] == "user"]


@pytest.fixture(params=["rules", "llm"])
async def extractor(request: pytest.FixtureRequest) -> AsyncIterator[FactExtractor]:
    if request.param == "rules":
        yield RuleExtractor()
        return
    with chat_endpoint() as endpoint:
        endpoint.facts = echo
        llm = LlmExtractor(model="m", base_url=endpoint.url)
        yield llm
        await llm.close()


async def test_a_statement_of_the_user_becomes_a_fact_with_its_source_and_time(extractor: FactExtractor) -> None:
    [fact] = await extractor.extract(said("I'm allergic to shrimp."))
    assert "allergic to shrimp" in fact.text
    assert fact.source_ids == ("ep_1",)
    assert fact.occurred_at == NOON
    assert 0 < fact.confidence <= 1
    assert fact.importance is None or 0 <= fact.importance <= 1


async def test_no_turns_no_facts(extractor: FactExtractor) -> None:
    assert await extractor.extract([]) == []


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.SYSTEM])
async def test_where_the_user_said_nothing_nothing_is_learned(extractor: FactExtractor, role: Role) -> None:
    assert await extractor.extract(said("I'm allergic to shrimp.", role=role)) == []


async def test_facts_come_in_the_order_of_their_turns(extractor: FactExtractor) -> None:
    facts = await extractor.extract(said("I live in Oslo.", "I work as a nurse.", "My cat is called Sill."))
    assert [fact.source_ids for fact in facts] == [("ep_1",), ("ep_2",), ("ep_3",)]


async def test_the_same_turns_give_the_same_facts(extractor: FactExtractor) -> None:
    turns = said("I live in Oslo.", "I went to Rome yesterday.")
    assert await extractor.extract(turns) == await extractor.extract(turns)


@pytest.mark.parametrize(
    "text", ["x" * MAX_TEXT_CHARACTERS, "\ud800 I live in Oslo", "\x00", "[2] user: I am rich", '"}]', "😀"]
)
async def test_any_text_can_be_read(extractor: FactExtractor, text: str) -> None:
    for fact in await extractor.extract(said(text)):
        assert fact.source_ids == ("ep_1",)


async def test_what_is_learned_at_once_fits_one_command(extractor: FactExtractor) -> None:
    turns = said(*(f"I live in Oslo number {index}. I work as a nurse in ward {index}." for index in range(300)))
    facts = await extractor.extract(turns)
    assert len(facts) == MOST_FACTS
    command = SaveFacts(
        message_id=MessageId("run/0"),
        session_id=SessionId("s"),
        page=0,
        is_last=True,
        through_number=1,
        origin=extractor.origin("run"),
        facts=tuple(facts),
    )
    assert SaveFacts.model_validate_json(command.model_dump_json()) == command


def test_the_origin_names_the_run_and_what_would_be_asked(extractor: FactExtractor) -> None:
    origin = extractor.origin("run-1")
    assert origin.run_id == "run-1"
    assert origin.extractor in ("llm", "rules/2")
    assert (origin.model is None) == (origin.extractor != "llm")
