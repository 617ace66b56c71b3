"""A gateway's application with nothing behind it: every query is answered by a text, wherever an answer holds one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, unquote, urlencode

from fastapi.routing import APIRoute
from pydantic_core import to_json
from starlette.types import Message

from memstream.client import MemoryClient
from memstream.client.decisions import LatePositions
from memstream.client.wire import Wire
from services.gateway.access.doorkeeper import Doorkeeper
from services.gateway.access.rates import Rates
from services.gateway.api import PREFIX
from services.gateway.changes import ChangeStreams
from services.gateway.page import ROUTERS
from services.gateway.page.static_files import address_of
from services.gateway.people import People
from services.gateway.reports import OperatorReports
from services.gateway.rooms import COOKIE, Rooms
from services.gateway.sampling import Sampler
from services.gateway.settings import GatewaySettings
from services.gateway.web import bare_app, make_app
from shared.contracts.access import OF_A_PERSON, Right
from shared.contracts.errors import Unavailable
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import MemoryId, SessionId, Space, User
from shared.contracts.parts import Role
from shared.contracts.queries import ANSWERS, OutcomeAnswer, Verdict
from shared.runtime.clock import SystemClock
from shared.runtime.connection import Client
from shared.runtime.credentials import create_credentials, save_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.http_tokens import new_http_token, save_tokens
from shared.runtime.links import OPENING

Json = Any
Request = tuple[str, str, bytes, Mapping[str, str]]
"""A method, a URL, a body and headers."""
SPACE, USER = Space("home"), User("anna")
ENDLESS = {f"{PREFIX}/events", f"{PREFIX}/jobs", f"{PREFIX}/jobs/runs", "/operator"}
"""What follows the feed, or asks other services for numbers: none of it takes a text."""
FIELDS = ("words", "tags", "back", "language", "tag", "with_space", "run_id", "holds", "name", "to", "session")
"""What forms of the page take, but for what is sealed."""
_SEALED = ("words", "tag", "entity", "name", "session", "memory")
_SEALING = {"/find", "/forget/preview", "/why", "/forget", "/conversations/incognito"}
"""Where what is sealed is opened again."""
_IS_ID = re.compile(r"_id$|_ids$|_by$|^sources$")
"""What names memories in an answer; a text of some length is no id, and would not be looked up."""
_NOT_ASKED = (
    "space",
    "user",
    "as_of",
    "position",
    "ranking",
    "preset",
    "min_position",
    "time_zone",
    "unset",
    "memory_ids",
    "deleted_message_id",
    "session_id",
)
_ID = f"fact_{'0' * 24}"
_HOST = "127.0.0.1"
_TIMES = {"date-time": "2026-05-03T09:00:00Z", "date": "2026-05-03"}


class EchoingWire:
    """A connection to services that say a text in every field of their answers."""

    def __init__(self) -> None:
        self.text = ""
        self.incognito: set[object] = set()
        self.decisions = LatePositions[tuple[str, str]]()
        self.outcomes = LatePositions[tuple[str, str, int]]()
        self.sent = 0

    async def publish(self, _subject: str, _payload: bytes, **_: object) -> int:
        self.sent += 1
        return self.sent

    async def request(self, subject: str, _payload: bytes, **_: object) -> bytes:
        what = subject.rpartition(".")[2]
        if what == "outcome":
            done = OutcomeAnswer(verdict=Verdict.RECORDED, position=1, memory_id=f"fact_{'0' * 24}", number=1)
            return done.model_dump_json().encode()
        return _answer(what, self.text)


class OpenGateway:
    """The application as one person of one space may use it. `ask` returns the status of its answer."""

    def __init__(self, root: Path) -> None:
        files, clock = DataDir(root), SystemClock()
        save_credentials(files.credentials, create_credentials())
        self.wire = EchoingWire()
        self.answered: set[int] = set()
        settings = GatewaySettings()
        given: dict[str, Any] = {"rights": (*OF_A_PERSON, Right.LINK), "spaces": (), "users": (), "expires_at": None}
        self._token, kept = new_http_token(name="wide", now=clock.now(), **given)
        save_tokens(files.http_tokens, {kept.token_id: kept})
        doorkeeper = Doorkeeper(files, settings, clock)
        client = MemoryClient(space=SPACE, user=USER, url="nats://127.0.0.1:1", name="gateway", password="-")
        client._wire = cast("Wire", self.wire)
        reports = OperatorReports(_nobody)
        rates = Rates(1_000_000_000)
        self._rooms = Rooms(
            settings=settings,
            clock=clock,
            doorkeeper=doorkeeper,
            people=People(client, doorkeeper.stamp),
            rates=rates,
            failures=rates,
            changes=ChangeStreams(_nobody, most=1),
            reports=reports,
            sampler=Sampler(reports, clock, every_s=60),
            base_url=f"http://{_HOST}",
        )
        self._app = make_app(self._rooms, version="test")
        self._loop = asyncio.new_event_loop()
        sealed = doorkeeper.linked(SPACE, USER)[0].removeprefix(OPENING)
        opened = doorkeeper.opened(sealed)
        assert opened
        self._cookie, made = opened
        self._stamp = doorkeeper.stamp("form", made.grant.key)

    def close(self) -> None:
        self._loop.close()

    def requests(self, route: tuple[str, str], text: str) -> Iterator[Request]:
        """What may be asked of a route, with the text wherever it takes one; a sealed one is sealed here, by us."""
        method, path = route
        yield from self._accepted(method, path, text)
        if path == f"{PREFIX}/import":
            yield method, path, to_json(_head(text)) + b"\n" + to_json({"text": text}) + b"\n" + text.encode(), {}
        elif path.startswith(PREFIX):
            yield from self._of_api(method, path, text)
        else:
            yield from self._of_page(method, path, text)

    def _accepted(self, method: str, path: str, text: str) -> Iterator[Request]:
        """What a route accepts that takes only what we made: a link, a file, an operation, an export."""
        asked, doorkeeper, form = urlencode({"q": text}), self._rooms.doorkeeper, _form()
        match method, path:
            case _, "/open/{sealed}":
                yield method, f"{doorkeeper.linked(Space(text), User(text))[0]}?{asked}", b"", form
            case _, "/static/{mark}/{name}":
                yield method, f"{address_of('page.css')}?{asked}", b"", {"accept": text}
            case _, "/v1/memory/operations/{operation_id}":
                named = "remember_fact.1"
                yield method, f"{PREFIX}/operations/{named}.{doorkeeper.stamp(SPACE, USER, named)}?{asked}", b"", {}
            case "POST", "/v1/memory/links":
                bearer = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
                yield method, path, to_json({"space": text, "user": text}), bearer
            case "POST", "/v1/memory/import":
                yield method, path, to_json(_head(text)) + b"\n" + to_json(_record(text)) + b"\n", {}
            case "POST", "/conversations/undo":
                fields = {**dict.fromkeys(FIELDS, text), "stamp": self._stamp, "run_id": "0" * 32}
                yield method, path, urlencode(fields).encode(), form
            case _:
                pass

    def ask(self, request: Request, text: str) -> int:
        """The status that a request is answered with, where everything that is known says this text."""
        self.wire.text = text
        status = self._loop.run_until_complete(self._asked(*request))
        self.answered.add(status)
        return status

    def _of_api(self, method: str, path: str, text: str) -> Iterator[Request]:
        document = _document()
        operation = document["paths"][path][method.lower()]
        given = operation.get("parameters", ())
        texts = [each["name"] for each in given if each["in"] == "query" and each["name"] not in {"space", "user", "wait"}]
        numbers = {each["name"] for each in given if each["in"] == "path" and each["schema"].get("type") == "integer"}
        url, known = (_in_path(path, words, numbers) for words in (text, _ID))
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        said = to_json(_filled(body["schema"], document, text, leaving=_NOT_ASKED)) if body else b""
        headers = {"content-type": "application/json", "idempotency-key": quote(text)[:256]}
        yield method, url, said, headers
        yield method, known, said, headers
        yield method, f"{known}?space={quote(text)}&user={quote(text)}", text.encode(), headers
        yield from ((method, f"{known}?{urlencode({name: text})}", said, headers) for name in texts)
        if path == f"{PREFIX}/bearer":
            for header in ("authorization", "cookie", "accept", "accept-language", "origin", "host", "last-event-id"):
                yield method, url, said, {header: f"{COOKIE}={text}" if header == "cookie" else f"Bearer {text}"}

    def _of_page(self, method: str, path: str, text: str) -> Iterator[Request]:
        url, known = (_in_path(path, words, {"number"}) for words in (text, _ID))
        if method == "GET":
            for each in dict.fromkeys((url, known)):
                yield method, f"{each}?{urlencode({'done': text, 'on': text[:10]})}", b"", {"accept-language": text}
            if path in _SEALING:
                yield from ((method, f"{url}?q={self._sealed(name, text)}", b"", {}) for name in _SEALED)
                yield method, f"{url}?{urlencode({'q': text})}", b"", {}
            return
        form = _form()
        fixed = {"stamp": self._stamp, "sure": "1", "switch": "start", "to": "on"}
        for sealed in _SEALED if path in _SEALING else ("words",):
            fields = {**dict.fromkeys(FIELDS, text), **fixed, "q": self._sealed(sealed, text)}
            yield method, url, urlencode(fields).encode(), form
            yield method, known, urlencode(fields | {"name": "memory_enabled", "holds": "both"}).encode(), form
        yield method, url, urlencode({**fixed, "name": "memory_enabled", "stamp": text}).encode(), form

    def _sealed(self, name: str, text: str) -> str:
        return self._rooms.doorkeeper.sealed_words(to_json({name: text}).decode(), SPACE, USER)

    async def _asked(self, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        path, _, query = url.partition("?")
        given = {"host": _HOST, "cookie": f"{COOKIE}={self._cookie}", "origin": f"http://{_HOST}", **headers}
        scope = {
            "type": "http",
            "method": method,
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode("utf-8", "replace")) for name, value in given.items()],
            "client": (_HOST, 1),
            "server": (_HOST, 80),
            "scheme": "http",
        }
        sent: list[Message] = []
        given_once = iter((body,))

        async def receive() -> Message:
            if (part := next(given_once, None)) is None:
                await asyncio.Event().wait()  # whoever asked stays to hear the answer
            return {"type": "http.request", "body": part, "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        return int(sent[0]["status"])


def _form() -> Mapping[str, str]:
    """The headers of a form of the page."""
    return {"content-type": "application/x-www-form-urlencoded", "origin": f"http://{_HOST}"}


def _head(text: str) -> Json:
    """The first line of an export."""
    return {"memstream_export": 1, "space": SPACE, "user": text, "content_digest": text}


def _record(text: str) -> Json:
    """A line of an export that can be taken in."""
    said = EpisodeRecorded(memory_id=MemoryId(f"ep_{'0' * 24}"), session_id=SessionId("s1"), role=Role.USER, text=f"Hi {text}")
    ids = {"record_id": "0" * 32, "command_id": "0" * 32, "type": "episode_recorded", "occurred_at": _TIMES["date-time"]}
    return ids | {"data": said.model_dump(mode="json")}


def _nobody() -> Client:
    raise Unavailable


def routes() -> list[tuple[str, str]]:
    """Every method and path of the API and of the page, but those that take no text."""
    api = [(method.upper(), path) for path, methods in _document()["paths"].items() for method in methods]
    page = [
        (method, route.path)
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in sorted((route.methods or set()) - {"HEAD"})
    ]
    return [each for each in api + page if each[1] not in ENDLESS]


@cache
def _answer(what: str, text: str) -> bytes:
    schema = _schema(what)
    said = _filled(schema, schema, text, leaving=("time_zone",))
    for entry in said.get("entries", ()):
        entry["type"] = "memory_pinned"  # the page says it in words of its own
    return to_json(
        said | ({"records": [], "next_after_position": None} if "records" in said else {})
    )  # each would have to be of some event


@cache
def _schema(what: str) -> dict[str, Any]:
    return ANSWERS[what].model_json_schema(mode="validation")


@cache
def _document() -> dict[str, Any]:
    return bare_app("test").openapi()


def _in_path(path: str, text: str, numbers: Collection[str]) -> str:
    return re.sub(r"{(\w+)[^}]*}", lambda found: "1" if found[1] in numbers else quote(text, safe=""), path)


def _filled(schema: Mapping[str, Any], document: Mapping[str, Any], text: str, leaving: Collection[str] = ()) -> Json:
    """A value that fits a schema, with a text wherever it may hold one."""
    schema = _resolved(schema, document)
    if "const" in schema or "enum" in schema:
        return schema.get("const") or schema["enum"][0]
    if schema.get("type") == "object":
        return _object(schema, document, text, leaving)
    if schema.get("type") == "array":
        return [_filled(schema["items"], document, text, leaving)] if "items" in schema else []
    plain = {"integer": max(int(schema.get("minimum", 1)), 1), "number": 0.5, "boolean": True}
    if (digits := re.search(r"{(\d+)}", schema.get("pattern", ""))) is not None:
        return "0" * int(digits[1])
    return plain.get(schema.get("type", ""), _TIMES.get(schema.get("format", ""), text[: schema.get("maxLength")]))


def _object(schema: Mapping[str, Any], document: Mapping[str, Any], text: str, leaving: Collection[str]) -> Json:
    if "properties" not in schema:
        values = schema.get("additionalProperties")
        key = _filled(schema.get("propertyNames", {}), document, "note")
        return {key: _filled(values if isinstance(values, dict) else {}, document, text)}
    return {
        name: _filled(of, document, _ID if _IS_ID.search(name) else text, leaving)
        for name, of in schema["properties"].items()
        if name not in leaving or name in schema.get("required", ())
    }


def _resolved(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a schema refers to; of several what is not null."""
    while "$ref" in schema:
        found: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    if several := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return _resolved(next(each for each in several if each.get("type") != "null"), document)
    return schema
