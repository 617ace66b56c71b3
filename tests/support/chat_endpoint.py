"""An endpoint on loopback that speaks OpenAI's chat completions, and misbehaves in each way in which endpoints do.

It stands for a model: `facts` are what it answers for the turns that it is shown. Everything else is what goes wrong.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from services.consolidator.domain.extraction import KnownFact, SaidTurn
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Role

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)
Json = dict[str, Any]


def said(*texts: str, role: Role = Role.USER, speaker: str | None = "Anna") -> list[SaidTurn]:
    """Turns of one speaker."""
    return [
        SaidTurn(MemoryId(f"ep_{number}"), number=number, role=role, speaker=speaker, text=text, occurred_at=NOON)
        for number, text in enumerate(texts, start=1)
    ]


class FactsOnPaper:
    """Facts that are known, all of them near."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._facts = [KnownFact(MemoryId(f"fact_{number}"), text, NOON) for number, text in enumerate(texts, start=1)]

    async def near(self, turns: Sequence[SaidTurn]) -> Sequence[KnownFact]:
        """All of them."""
        return self._facts if turns else ()

    async def live(self) -> Sequence[KnownFact]:
        """All of them."""
        return self._facts


def known(*texts: str) -> FactsOnPaper:
    """Facts that are known: `fact_1` and so on."""
    return FactsOnPaper(texts)


def stated(text: str, *sources: int, **more: object) -> Json:
    """A fact as the schema wants it."""
    fact = {"text": text, "sources": sources, "kinds": [], "asked_to_remember": False, "confidence": 0.9}
    return fact | {"slots": [], "supersedes": []} | more


@dataclass
class ChatEndpoint:
    """What the endpoint does, and what it was asked."""

    url: str = ""
    facts: Callable[[list[Json]], list[Json]] = field(default=lambda _: [])
    content: str | None = None  # instead of the facts, as they are
    wrap: str = "{}"  # what stands around the JSON
    message: Json = field(default_factory=dict)
    finish_reason: str = "stop"
    status: int = 200
    body: str | None = None
    pause_s: float = 0.0
    hangs_on: str | None = None  # answers nothing in time where a turn has this
    fails_on: str | None = None  # answers 500 where a turn has this
    refuses_parameters: Sequence[str] = ()
    refuses_formats: Sequence[str] = ()
    names_what_it_refuses: bool = True
    longest: int | None = None  # most characters of turns
    status_of_too_long: int = 400
    cuts_after: int | None = None  # most facts of an answer, which is then cut off
    usage: Json | None = field(default_factory=lambda: {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100})
    asked: list[Json] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    def turns(self, asked: Json) -> list[Json]:
        """The turns that a request shows, or the sources of a summary."""
        document: dict[str, list[Json]] = json.loads(asked["messages"][1]["content"])
        return document["sources"] if "sources" in document else document["turns"]

    def known(self, asked: Json) -> list[Json]:
        """The known facts that a request shows."""
        shown: list[Json] = json.loads(asked["messages"][1]["content"])["known"]
        return shown

    def answer(self, asked: Json) -> tuple[int, str]:
        """The status and the body of the reply."""
        turns = self.turns(asked)
        text = " ".join(turn["text"] for turn in turns)
        if refusal := self._refusal(asked, text):
            return refusal
        if self.body is not None or self.status != 200:
            return self.status, self.body or "{}"
        content, finish_reason = self._content(turns)
        message = {"role": "assistant", "content": content, "refusal": None} | self.message
        choice = {"index": 0, "finish_reason": finish_reason, "message": message}
        answer = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        return 200, json.dumps(answer | ({"usage": self.usage} if self.usage else {}))

    def _content(self, turns: list[Json]) -> tuple[str, str]:
        facts = self.facts(turns)
        whole = self.content if self.content is not None else json.dumps({"facts": facts})
        if self.cuts_after is None or len(facts) <= self.cuts_after:
            return self.wrap.replace("{}", whole), self.finish_reason
        kept = json.dumps({"facts": facts[: self.cuts_after]})
        return f'{kept[:-2]}, {{"text": "and', "length"

    def _refusal(self, asked: Json, text: str) -> tuple[int, str] | None:
        form = asked.get("response_format", {}).get("type", "text")
        for parameter in self.refuses_parameters:
            if parameter in asked:
                return self._complaint(parameter, f"Unsupported value: '{parameter}' does not support this value. {text}")
        if form in self.refuses_formats:
            return self._complaint("response_format", f"This model does not support response format `{form}`. {text}")
        if self.longest is not None and len(text) > self.longest:
            message = f"This model's maximum context length is {self.longest} tokens. {text}"
            return self.status_of_too_long, json.dumps({"error": {"message": message, "code": "context_length_exceeded"}})
        if self.fails_on and self.fails_on in text:
            return 500, "{}"
        return None

    def _complaint(self, param: str, message: str) -> tuple[int, str]:
        error = {"message": message, "param": param} if self.names_what_it_refuses else {"message": "bad request"}
        return 400, json.dumps({"error": error | {"type": "invalid_request_error"}})


@contextmanager
def chat_endpoint() -> Iterator[ChatEndpoint]:
    """An endpoint on a free port of loopback, until the block ends."""
    endpoint = ChatEndpoint()
    ended = threading.Event()
    server = _Server(("127.0.0.1", 0), _handler(endpoint, ended))
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield endpoint
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Nothing: a client that stopped waiting is part of the tests."""


def _handler(endpoint: ChatEndpoint, ended: threading.Event) -> type[BaseHTTPRequestHandler]:
    counting = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            asked = json.loads(raw)
            with counting:
                endpoint.asked.append(asked)
                endpoint.keys.append(self.headers["authorization"])
                endpoint.at_once += 1
                endpoint.most_at_once = max(endpoint.most_at_once, endpoint.at_once)
            if endpoint.hangs_on and endpoint.hangs_on in raw.decode():
                ended.wait()
            time.sleep(endpoint.pause_s)
            status, body = endpoint.answer(asked)
            with counting:
                endpoint.at_once -= 1
            self.reply(status, body.encode())

        def reply(self, status: int, raw: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.send_header("retry-after-ms", "5")  # keeps the SDK's waits short
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            pass

    return Handler


def echo(turns: list[Json]) -> list[Json]:
    """A model that takes each of the user's statements as a fact."""
    return [stated(f"The user says: {turn['text'][:500]}", turn["turn"]) for turn in turns if turn["role"] == "user"]
