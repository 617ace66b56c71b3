"""An error of memstream's own ends no service: what it concerns is put aside with its trace, and everybody else is served."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from services.consolidator.app import build as build_consolidator
from services.consolidator.store import ConsolidatorStore
from services.feed.app import build as build_feed
from services.feed.store import FeedStore
from services.ingest.app import build as build_ingest
from services.ingest.domain.decide import RULES
from services.ingest.domain.lacks import Needs
from services.ingest.domain.ruling import Ruling
from services.ingest.projection import IngestProjection
from services.maintenance.app import Maintenance
from services.maintenance.app import build as build_maintenance
from services.maintenance.store import MaintenanceStore
from services.retriever.app import build as build_retriever
from services.retriever.projection import RetrieverProjection
from shared.contracts.command import Channel, Command
from shared.contracts.commands import COMMANDS
from shared.contracts.dead_letters import CODE_HEADER, REASON_HEADER
from shared.contracts.errors import MemstreamError
from shared.contracts.ids import Space, User
from shared.contracts.queries import QUERIES, OutcomeAnswer, Verdict
from shared.contracts.subjects import installation_subject, send_subject, work_subject
from shared.runtime.ids import new_token
from shared.runtime.job_queue import DueJob
from shared.runtime.metrics import WORK_FAILURES
from shared.runtime.service import Service
from tests.integration.test_ingest import refused
from tests.support.installations import Bot, Installation, running, serving, until
from tests.support.scopes import T0

EVE = "eve"
SECRET_WORDS = "the blue heron nests at Quillwater"
MORE: dict[str, dict[str, Any]] = {
    "change_settings": {"settings": {"soft_cap": 7}},
    "record_recall": {"message_id": "a"},
    "attach_embedding": {"embedding": {"model": "a", "dimensions": 1, "vector": "AAA="}},
    "finish_job": {"message_id": "a"},
    "forget": {"query": "heron"},
    "undo": {"memory_id": "fact_1"},
    "redo": {"memory_id": "fact_1"},
}
"""What the least payload of these lacks, which its schema does not say."""
RECORD = {
    "record_id": "a" * 32,
    "command_id": "b" * 32,
    "type": "session_started",
    "occurred_at": "2026-03-01T10:00:00Z",
    "data": {"session_id": "s1"},
}


class Injected(RuntimeError):
    """An error that nobody foresaw. Its message quotes a person, as that of a library may."""

    def __init__(self) -> None:
        super().__init__(SECRET_WORDS)


def least(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """The least value that fits a schema."""
    match schema:
        case {"$ref": ref}:
            found = least(defs[ref.rpartition("/")[2]], defs)
        case {"anyOf": [first, *_]} | {"oneOf": [first, *_]} | {"allOf": [first, *_]}:
            found = least(first, defs)
        case {"const": found} | {"enum": [found, *_]}:
            pass
        case {"type": "object"}:
            found = {name: least(schema["properties"][name], defs) for name in schema.get("required", ())}
        case {"type": "array"}:
            found = [least(schema["items"], defs)] * schema.get("minItems", 0)
        case {"format": "date-time"}:
            found = "2026-03-01T10:00:00Z"
        case {"type": "string"}:
            found = "a" * schema.get("minLength", 1)
        case {"type": "boolean"}:
            found = False
        case _:
            found = max(schema.get("minimum", 1), 1)
    return found


def payload(command: type[Command]) -> dict[str, Any]:
    """A valid payload of a command."""
    schema = command.model_json_schema()
    found: dict[str, Any] = least(schema, schema.get("$defs", {})) | MORE.get(command.what, {})
    return found | {"records": [RECORD]} if command.what == "import_memories" else found


def fails_for_eve(rule: Callable[[Any, Ruling], None]) -> Callable[[Any, Ruling], None]:
    def failing(command: Any, ruling: Ruling) -> None:  # noqa: ANN401 - any command
        if ruling.given.user in {EVE, ""}:
            raise Injected
        rule(command, ruling)

    return failing


async def test_a_rule_that_fails_puts_its_command_aside_and_everybody_else_is_served(
    own_server: Installation, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, rule in list(RULES.items()):
        monkeypatch.setitem(RULES, kind, fails_for_eve(rule))
    async with AsyncExitStack() as stack:
        accounts = ("bot", "consolidator", "maintenance", "retriever", "operator")
        senders = {name: await stack.enter_async_context(own_server.connected(name)) for name in accounts}
        bot = Bot(senders["bot"], space)
        async with running(own_server.settings, lanes=2) as ingest:
            for what, command in COMMANDS.items():
                if command.is_of_installation:
                    subject = installation_subject(what)
                elif command.channel is Channel.SEND:
                    subject = send_subject(Space(space), User(EVE), what)
                else:
                    subject = work_subject(Space(space), User(EVE), what)
                by = senders.get(command.sender, senders["bot" if command.channel is Channel.SEND else "operator"])
                sent = await by.jetstream().publish(subject, json.dumps(payload(command)).encode())
                assert (await bot.said("ben", f"{what} is discussed")).verdict is Verdict.RECORDED
                if not command.is_of_installation:
                    outcome = await bot.outcome(EVE, sequence=sent.seq)
                    assert (what, outcome.verdict, outcome.code) == (what, Verdict.REJECTED, "internal")
                    assert SECRET_WORDS not in (outcome.reason or "")
            assert not ingest.task.done()
        async with own_server.connected("operator") as operator:
            letters = await refused(operator, bot, EVE)
        assert {headers[CODE_HEADER] for headers, _ in letters} == {"internal"}
        assert len(letters) == len([each for each in COMMANDS.values() if not each.is_of_installation])
        assert all("Injected" in headers[REASON_HEADER] for headers, _ in letters)
        assert not [headers for headers, _ in letters if SECRET_WORDS in headers[REASON_HEADER]]


@pytest.mark.parametrize("again", [False, True], ids=["once", "also when it is refused"])
async def test_the_messages_of_a_group_are_decided_but_for_the_one_that_fails(
    own_server: Installation, space: str, monkeypatch: pytest.MonkeyPatch, *, again: bool
) -> None:
    add = Ruling.add

    def failing(self: Ruling, data: Any, occurred_at: Any = None) -> None:  # noqa: ANN401 - as the method
        if self.given.user == EVE and (again or data.event_type == "episode_recorded"):
            raise Injected
        add(self, data, occurred_at)

    monkeypatch.setattr(Ruling, "add", failing)
    before = WORK_FAILURES.labels("deciding")._value.get()
    async with own_server.connected("bot") as client:
        bot = Bot(client, space)
        sent = [(user, await bot.say(user, "good morning")) for user in ("ann", EVE, "ben", EVE, "cleo")]  # before it runs
        async with running(own_server.settings, lanes=1):
            told = {user: await bot.outcome(user, sequence=sequence) for user, sequence in sent}
            assert told[EVE].code == "internal"
            assert [told[user].verdict for user in ("ann", "ben", "cleo")] == [Verdict.RECORDED] * 3
        monkeypatch.setattr(Ruling, "add", add)
        async with running(own_server.settings, lanes=1):
            assert (await bot.said(EVE, "and now")).verdict is Verdict.RECORDED
    assert WORK_FAILURES.labels("deciding")._value.get() == before + 2


async def test_a_person_whose_log_cannot_be_applied_waits_for_the_next_start_and_nobody_else(
    own_server: Installation, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply = IngestProjection.apply

    def failing(self: IngestProjection, events: Any, position: Any, **more: Any) -> Any:  # noqa: ANN401 - as the method
        if any(recorded.event.user == EVE for recorded in events):
            raise Injected
        return apply(self, events, position, **more)

    async with own_server.connected("bot") as client:
        bot = Bot(client, space)
        async with running(own_server.settings, lanes=1):
            await bot.said(EVE, "I keep bees")
        monkeypatch.setattr(IngestProjection, "apply", failing)
        async with running(own_server.settings, lanes=1) as ingest:
            held = await bot.say(EVE, "I keep goats")
            after = await bot.say(EVE, "and hens")
            for _ in range(3):
                assert (await bot.said("ben", "good morning")).verdict is Verdict.RECORDED
            assert not ingest.task.done()
        monkeypatch.setattr(IngestProjection, "apply", apply)
        async with running(own_server.settings, lanes=1) as ingest:
            for sequence in (held, after):
                assert (await bot.outcome(EVE, sequence=sequence)).verdict is Verdict.RECORDED
            scope = own_server.keys.scope_of(Space(space), User(EVE))
            assert ingest.service._store.load({scope: Needs()})[scope].number > 3


def due(job: str) -> DueJob:
    return DueJob(job, f"run_{new_token()}", T0, "hand")


PROJECTIONS = (ConsolidatorStore, MaintenanceStore, FeedStore, RetrieverProjection)


@asynccontextmanager
async def everything(server: Installation, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[Service]]:
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "hashing")
    monkeypatch.setenv("MEMSTREAM_MAINTENANCE_CLOCK", "off")
    builds = (build_ingest, build_retriever, build_consolidator, build_maintenance, build_feed)
    services: list[Service] = [build(server.settings) for build in builds]
    async with serving(*services) as task:
        yield services
        assert not task.done()


async def recalled(bot: Bot, user: str, query: str, after: OutcomeAnswer) -> str:
    asked = {"query": query, "session_id": "another", "min_position": after.position, "timeout_s": 20}
    answer = await bot.ask(user, "context", asked)
    return str(answer["markdown"])


async def test_a_projection_that_fails_leaves_out_that_event_alone(
    own_server: Installation, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for projection in PROJECTIONS:
        apply = projection.apply

        def failing(self: Any, events: Any, position: Any, apply: Any = apply) -> Any:  # noqa: ANN401 - of any projection
            if any(recorded.event.user == EVE and recorded.event.type == "episode_recorded" for recorded in events):
                raise Injected
            return apply(self, events, position)

        monkeypatch.setattr(projection, "apply", failing)
    async with everything(own_server, monkeypatch), own_server.connected("bot") as client:
        bot = Bot(client, space)
        for user in (EVE, "ben", EVE, "ben"):
            said = await bot.said(user, "I live in Leeds and keep bees.")
        await bot.send("ben", "end_session", {"session_id": "s1"})

        async def is_learned() -> bool:
            return bool((await bot.ask("ben", "list", {"kinds": ["fact"]}))["items"])

        await until(is_learned, what="ben's session is learned from")
        assert "bees" in await recalled(bot, "ben", "any news of the bees?", said)
        assert "bees" not in await recalled(bot, EVE, "any news of the bees?", said)


async def test_a_query_handler_that_fails_answers_an_error_and_the_next_one_is_answered(
    own_server: Installation, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with everything(own_server, monkeypatch) as services, own_server.connected("bot") as client:
        retriever = services[1]
        assert hasattr(retriever, "_files")
        bot = Bot(client, space)
        said = await bot.said("ben", "I keep bees")

        def failing(*_: object, **__: object) -> None:
            raise Injected

        files = type(retriever._files)
        methods = [name for name, each in vars(files).items() if callable(each) and not name.startswith("__")]
        for query, kind in QUERIES.items():
            if kind.answered_by != "retriever":
                continue
            schema = kind.model_json_schema()
            asked = least(schema, schema.get("$defs", {}))
            with monkeypatch.context() as patched:
                for method in methods:
                    patched.setattr(files, method, failing)
                with pytest.raises(MemstreamError) as raised:
                    await bot.ask("ben", query, asked)
                assert SECRET_WORDS not in raised.value.message
            assert "bees" in await recalled(bot, "ben", "any news of the bees?", said)


async def test_a_job_that_fails_is_told_and_the_others_run(own_server: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    async with everything(own_server, monkeypatch) as services:
        maintenance = services[3]
        assert isinstance(maintenance, Maintenance)
        runner = maintenance.desk.runner
        for name, job in runner.jobs.items():

            async def failing(_: object) -> dict[str, int]:
                raise Injected

            with monkeypatch.context() as patched:
                patched.setattr(job, "run", failing)
                ended = await runner.run(due(name))
                assert (ended.ended, ended.code) == ("failed", "internal")
            assert (await runner.run(due(name))).ended == "done"
