"""What a bot that is limited to a space cannot learn of the others by asking."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from nats.errors import NoRespondersError

from memstream.cli.sending import raise_rejection
from memstream.cli.session import CliSession
from memstream.client import Kind, MemoryClient
from services.ingest.app import build as build_ingest
from services.retriever.app import Retriever
from services.retriever.domain.weights import SHIPPED
from services.retriever.settings import RetrieverSettings
from shared.contracts.errors import Malformed, MemstreamError, NotCaughtUp
from shared.contracts.ids import Space
from shared.contracts.queries import QUERIES
from shared.runtime.credentials import create_credentials
from tests.support.installations import Bot, Installation, raw_request, serving, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

OTHERS = 400
"""So many events of others come before what a limited bot does: its own numbers are all smaller."""

FEW = 100
ASKED: dict[str, dict[str, object]] = {
    "context": {"query": "heron", "record": False},
    "search": {"query": "heron"},
    "list": {},
    "entity": {"name": "Dora"},
    "entities": {},
    "summary": {},
    "explain": {"query": "heron"},
    "sessions": {},
    "episodes": {"session_id": "s1"},
    "conflicts": {},
    "stats": {},
    "audit": {"everything": True},
    "diff": {"since_number": 0},
    "shares": {},
    "export": {},
    "forget_preview": {"query": "heron"},
}
"""A query of each kind that names no memory."""


@asynccontextmanager
async def installed(folder: Path) -> AsyncIterator[Installation]:
    """ingest and the retriever with a bot for all spaces, alice for `alpha` and `gamma`, and bob for `beta`."""
    credentials = create_credentials().with_bot("alice", (Space("alpha"), Space("gamma"))).with_bot("bob", (Space("beta"),))
    installation = await Installation.create(folder, credentials=credentials)
    try:
        async with serving(build_ingest(installation.settings), Retriever(installation.settings, RetrieverSettings(), None)):
            yield installation
    finally:
        await installation.server.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    async with installed(tmp_path_factory.mktemp("watching")) as installation:
        yield installation


@pytest_asyncio.fixture(scope="module", loop_scope="module", autouse=True)
async def alice(guarded: Installation) -> AsyncIterator[Bot]:
    """The bot of `alpha`, after others have said much."""
    async with guarded.connected("bot") as free, guarded.connected("alice") as client:
        await chatter(Bot(free, "beta"), OTHERS)
        yield Bot(client, "alpha")


async def chatter(bot: Bot, count: int) -> int:
    """Let somebody say much; the position in the log after it."""
    said = {"session_id": "s1", "role": "user", "occurred_at": "2024-05-01T10:00:00Z"}
    turns = [said | {"text": f"number {index}", "message_id": f"m{index}"} for index in range(count)]
    sequence = await bot.send("victim", "import_turns", {"turns": turns})
    return (await bot.outcome("victim", sequence=sequence)).position


async def done(bot: Bot, user: str, what: str, **fields: object) -> dict[str, Any]:
    sequence = await bot.send(user, what, fields)
    return await bot.ask(user, "outcome", {"sequence": sequence, "timeout_s": 20})


def numbers_in(value: object) -> Iterator[int]:
    """Every whole number of an answer, but those that are sealed."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from numbers_in(each)
    elif isinstance(value, int) and not isinstance(value, bool) and value < 2**52:
        yield value


async def everything(bot: Bot, user: str) -> dict[str, Any]:
    """What a bot is told of a person of whom it says, asks and forgets something."""
    told: dict[str, Any] = {}
    turn = await done(bot, user, "user_message", session_id="s1", text="Dora and I saw a heron", message_id="m1")
    again = await done(bot, user, "user_message", session_id="s1", text="Dora and I saw a heron", message_id="m1")
    refused = await done(bot, user, "pin", memory_id="ep_000000000000000000000000")
    fact = await done(bot, user, "remember_fact", text="The heron nests by the lake")
    told |= {"turn": turn, "again": again, "refused": refused, "fact": fact}
    told["by id"] = await bot.ask(user, "outcome", {"what": "user_message", "message_id": "m1"})
    known = {"min_position": fact["position"]}
    for query, fields in ASKED.items():
        told[query] = await bot.ask(user, query, fields | ({} if query == "forget_preview" else known))
    for query in ("show", "similar"):
        told[query] = await bot.ask(user, query, {"memory_id": fact["memory_id"]})
    told["turn that asks"] = await bot.ask(user, "context", {"query": "heron", "message_id": "m1", "record": False})
    told["incognito"] = await bot.ask(user, "context", {"query": "heron", "incognito": True})
    told["then"] = await bot.ask(user, "list", {"at_number": turn["number"]})
    told["stranger"] = {query: await answer_or_error(bot, f"{user}2", query, fields) for query, fields in ASKED.items()}
    told["id of another"] = await answer_or_error(
        bot, user, "outcome", {"what": "user_message", "message_id": "m9", "timeout_s": 0.05}
    )
    told["page"] = await bot.ask(user, "export", {"limit": 1})
    told["forgotten"] = gone = await done(bot, user, "forget_user")

    async def is_done() -> bool:
        told["receipt"] = await bot.ask(user, "receipt", {"number": gone["number"]})
        return bool(told["receipt"]["state"] == "done")

    await until(is_done, what="the receipt")
    after = {"min_position": gone["position"]}
    for query in ("stats", "list", "audit"):
        told[f"{query} after"] = await bot.ask(user, query, ASKED[query] | after)
    return told


async def answer_or_error(bot: Bot, user: str, query: str, fields: dict[str, object]) -> dict[str, Any]:
    try:
        return await bot.ask(user, query, fields)
    except MemstreamError as error:
        return {"code": error.code, "message": error.message}


async def test_no_answer_to_a_limited_bot_holds_a_position_of_the_log(guarded: Installation, alice: Bot) -> None:
    told = await everything(alice, "anna")
    assert set(ASKED) | {"show", "similar", "outcome", "receipt"} == set(QUERIES)
    for name, answer in told.items():
        assert [number for number in numbers_in(answer) if number > FEW] == CHOSEN.get(name, []), name
    async with guarded.connected("bot") as client:  # one that may use all spaces is told where the log is
        free = await everything(Bot(client, "alpha"), "ben")
    for name in ("turn", "refused", "context", "stats", "audit", "export", "forget_preview", "page", "stats after"):
        assert max(numbers_in(free[name])) > OTHERS, name


CHOSEN: dict[str, list[int]] = {"explain": [SHIPPED.profile_tokens]}
"""Large numbers that are none of others: limits and lengths."""


@pytest.mark.parametrize(("timeout_s", "code"), [(0.05, "not_caught_up"), (10, "malformed")])
@pytest.mark.parametrize("query", [name for name in ASKED if name not in {"forget_preview", "explain"}])
async def test_a_limited_bot_cannot_ask_how_long_the_log_is(alice: Bot, query: str, timeout_s: float, code: str) -> None:
    short, long = [
        await answer_or_error(alice, "anna", query, ASKED[query] | {"timeout_s": timeout_s, "min_position": number})
        for number in (150, 10**9)
    ]
    assert short["code"] == code
    assert short == long


NOT_GIVEN = "give the one of the answer before|less than or equal to"


@pytest.mark.parametrize("number", [1, 5, OTHERS // 2, 10**9, 2**53, 2**60])
async def test_a_limited_bot_cannot_ask_how_much_was_sent(alice: Bot, number: int) -> None:
    with pytest.raises(Malformed, match=NOT_GIVEN):
        await alice.ask("anna", "outcome", {"sequence": number, "timeout_s": 0.05})


@pytest.mark.parametrize("field", ["after_position", "through_position"])
@pytest.mark.parametrize("number", [5, OTHERS // 2, 10**9, 2**53])
async def test_a_page_of_an_export_is_asked_for_with_what_the_last_one_told(alice: Bot, number: int, field: str) -> None:
    with pytest.raises(Malformed, match=NOT_GIVEN):
        await alice.ask("anna", "export", {field: number})


async def test_numbers_of_one_person_are_none_of_another(alice: Bot) -> None:
    sequence = await alice.say("carl", "hello")
    assert (await alice.outcome("carl", sequence=sequence)).memory_id
    with pytest.raises(NotCaughtUp):
        await alice.outcome("dan", sequence=sequence, timeout_s=0.05)


async def test_a_limited_bot_reads_its_own_writes(alice: Bot) -> None:
    for index in range(20):
        told = await alice.said("emil", f"heron number {index}")
        found = await alice.ask("emil", "list", {"min_position": told.position, "limit": 1})
        assert found["items"][0]["text"] == f"heron number {index}"
        assert found["position"] >= told.position


async def test_a_limited_bot_waits_for_what_is_said_later(alice: Bot) -> None:
    first = await alice.said("fritz", "hello")
    asked = alice.ask("fritz", "stats", {"min_position": first.position + 1, "timeout_s": 20})
    waiting = asyncio.ensure_future(asked)
    await alice.said("fritz", "goodbye")
    assert (await waiting)["memories"]["episode"] == 2


@pytest.mark.parametrize(
    "headers",
    [
        {"Nats-Request-Info": '{"acc":"BOTS","user":"bot"}'},
        {"nats-request-info": '{"acc":"MEMORY","user":"operator"}'},
        {"reply_to": "send.alpha.anna.user_message"},
        {"Nats-Trace-Dest": "ask.alpha.anna.stats"},
        {"Nats-Trace-Dest": "send.alpha.anna.user_message", "Nats-Trace-Only": "true"},
    ],
    ids="+".join,
)
async def test_no_header_makes_a_limited_bot_another(alice: Bot, headers: dict[str, str]) -> None:
    await alice.said("gerd", "hello")
    try:
        reply = await alice.client.request("ask.alpha.gerd.stats", b"{}", timeout=2, headers=headers)
    except (TimeoutError, NoRespondersError):  # a request that is only traced is not delivered
        return
    assert max(numbers_in(json.loads(reply.data))) < FEW


@pytest.mark.parametrize("block", [b"NATS/1.0 \r\n\r\n", b"NATS/1.0 abc\r\nX: y\r\n\r\n", b"NATS/1.0\r\nbad\xff: \xfe\r\n\r\n"])
async def test_headers_that_cannot_be_read_make_a_limited_bot_no_other(alice: Bot, block: bytes) -> None:
    await alice.said("hans", "hello")
    reply = await raw_request(alice.client, "ask.alpha.hans.stats", b"{}", block)
    assert max(numbers_in(json.loads(reply))) < FEW


MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T[\d:.]+Z)?")
HEX = re.compile(r"[0-9a-f]{16,}")


def seen(value: object, name: str = "") -> object:
    """What tells something in an answer: without moments, random ids, what they are sealed to, and what was purged by then."""
    if isinstance(value, dict):
        return {key: seen(each, key) for key, each in value.items() if key != "in_transit"}
    if isinstance(value, list):
        return [seen(each, name) for each in value]
    if isinstance(value, str):
        return HEX.sub("#", MOMENT.sub("@", value))
    if isinstance(value, float):
        return round(value, 3)
    return "sealed" if isinstance(value, int) and value >= 2**52 else value


async def test_nothing_tells_whether_a_person_of_another_space_exists(tmp_path: Path) -> None:
    async with installed(tmp_path / "alone") as installation, installation.connected("alice") as client:
        alone = seen(await everything(Bot(client, "alpha"), "anna"))
    async with (
        installed(tmp_path / "together") as installation,
        installation.connected("alice") as client,
        installation.connected("bob") as other,
    ):
        bob = Bot(other, "beta")
        for user in ("anna", "anna2", "victim"):
            await bob.said(user, "Dora and I saw a heron", message_id="m1")
            await bob.said(user, "and a stork", message_id="m9")
            await done(bob, user, "remember_fact", text="The heron nests by the lake")
            await done(bob, user, "start_incognito", session_id="s9")
        together = seen(await everything(Bot(client, "alpha"), "anna"))
    assert together == alone


async def exported(bot: Bot, user: str) -> list[dict[str, Any]]:
    """Everything that is remembered of a person, in pages of two."""
    asked: dict[str, Any] = {"limit": 2}
    records: list[dict[str, Any]] = []
    while True:
        page = await bot.ask(user, "export", asked)
        records += page["records"]
        if page["next_after_position"] is None:
            return records
        asked |= {"after_position": page["next_after_position"], "through_position": page["through_position"]}


async def test_the_pages_of_an_export_are_the_same_for_a_limited_bot(guarded: Installation, alice: Bot) -> None:
    for index in range(7):
        told = await alice.said("ida", f"heron number {index}")
    await done(alice, "ida", "change_settings", settings={"soft_cap": 77})
    await alice.ask("ida", "stats", {"min_position": told.position + 1})
    mine = await exported(alice, "ida")
    async with guarded.connected("bot") as client:
        assert mine == await exported(Bot(client, "alpha"), "ida")
    assert len(mine) == 9


def as_alice(guarded: Installation, user: str) -> MemoryClient:
    return MemoryClient(space="alpha", user=user, name="alice", url=guarded.server.url, data_dir=guarded.settings.data_dir)


async def test_the_client_knows_what_a_limited_bot_has_sent(guarded: Installation) -> None:
    async with guarded.connected("bot") as free, as_alice(guarded, "jon") as memory:
        sent = await memory.add("Dora and I saw a heron", session_id="s1", message_id="m1")
        await chatter(Bot(free, "beta"), 20)
        assert [item.text for item in (await memory.list(after=sent)).items] == ["Dora and I saw a heron"]
        told = ["Ann plays the cello", "Bea has a red bicycle", "Cid was born in Leeds"]
        facts = [await memory.remember(text) for text in told]
        assert [each.position for each in facts] == sorted(each.position for each in facts)
        assert memory.decided_up_to == facts[-1].position
        for after in (facts[0], facts[-1]):
            found = await memory.list(kinds=["fact"], after=after, min_position=facts[1].position)
            assert len(found.items) >= 2
        assert (await memory.list(kinds=["fact"], after=facts[-1])).items[0].memory_id == facts[-1].memory_id
        again = await memory.remember(told[-1], message_id=facts[-1].message_id)
        assert (again.verdict.value, again.position) == ("unchanged", facts[-1].position)
        pinned = await memory.pin(facts[0].memory_id or "")
        twice = await memory.pin(facts[0].memory_id or "")
        assert twice.position >= pinned.position > facts[-1].position
        assert (await memory.stats(after=twice)).pinned == 1


async def test_an_agent_of_a_limited_bot_learns_and_takes_back(guarded: Installation) -> None:
    async with as_alice(guarded, "kim") as memory:
        turn = await memory.decide("user_message", {"session_id": "s1", "text": "I live in Oslo now", "message_id": "m1"})
        saved = await memory.save_facts_batch(
            "s1", [{"text": "The user lives in Oslo", "source_ids": [turn.memory_id]}], run_id="run1"
        )
        [fact] = (await memory.list(kinds=["fact"], after=saved)).items
        assert (await memory.session("s1")).new_turns == 1
        assert (await memory.detect_conflicts(fact.memory_id)).pending == []
        await memory.mark_session_consolidated("s1", facts=1, run_id="run1")
        await memory.undo("run1")
        assert (await memory.list(kinds=["fact"], min_position=memory.decided_up_to)).items == ()


async def test_a_limited_bot_exports_imports_and_forgets(guarded: Installation) -> None:
    async with as_alice(guarded, "lea") as memory:
        await memory.remember("Lea likes tea")
        await memory.change_settings({"soft_cap": 77})
        lines = [line async for line in memory.export(min_position=memory.decided_up_to)]
        other = memory.for_user("lea2")
        assert (await other.import_export(lines)).is_equal
        started = await memory.start_incognito("s9")
        assert (await memory.context("tea", session_id="s9", after=started)).withheld == "incognito"
        gone = await memory.forget_user()
        assert (await memory.list(kinds=["fact"], after=gone)).items == ()
        assert (await other.stats()).memories[Kind.FACT] == 1


def naming(memory_id: str, recall_id: str) -> list[tuple[str, dict[str, object]]]:
    """Queries that name a memory or a recall."""
    return [
        ("show", {"memory_id": memory_id}),
        ("similar", {"memory_id": memory_id}),
        ("explain", {"recall_id": recall_id, "query": "heron"}),
        ("forget_preview", {"memory_ids": [memory_id]}),
    ]


async def test_ids_of_another_space_are_like_ids_that_nobody_has(guarded: Installation, alice: Bot) -> None:
    await alice.said("max", "hello")
    async with guarded.connected("bob") as client:
        bob = Bot(client, "beta")
        fact = await done(bob, "max", "remember_fact", text="The heron nests by the lake")
        recalled = await bob.ask("max", "context", {"query": "heron", "min_position": fact["position"]})
        await until(lambda: is_recorded(bob, recalled["recall_id"]), what="the recall is recorded")
    theirs, nobodys = (fact["memory_id"], recalled["recall_id"]), ("fact_000000000000000000000000", "rec_00000000000000000000")
    seen_of = []
    for ids in (theirs, nobodys):
        told = [await answer_or_error(alice, "max", query, fields) for query, fields in naming(*ids)]
        told += [await done(alice, "max", what, memory_id=ids[0]) for what in ("pin", "confirm_fact", "restore", "undo")]
        told.append(await done(alice, "max", "correct_fact", memory_id=ids[0], text="The heron is gone"))
        told.append(await done(alice, "max", "forget", memory_ids=[ids[0]]))
        seen_of.append([{name: value for name, value in each.items() if name not in {"position", "number"}} for each in told])
    assert seen(seen_of[0]) == seen(seen_of[1])


async def is_recorded(bot: Bot, recall_id: str) -> bool:
    return "code" not in await answer_or_error(bot, "max", "explain", {"recall_id": recall_id, "query": "heron"})


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("context", {"query": "heron", "min_position": 10**9}),
        ("list", {"min_position": 10**9}),
        ("outcome", {"what": "user_message", "message_id": "never sent"}),
    ],
)
async def test_a_space_whose_questions_wait_keeps_no_other_space_waiting(
    guarded: Installation, alice: Bot, query: str, fields: dict[str, object]
) -> None:
    async with guarded.connected("bob") as client:
        bob = Bot(client, "beta")
        sequence = await bob.say("nora", "I saw a heron")
        for number in range(100):
            data = json.dumps(fields | {"timeout_s": 30}).encode()
            await alice.client.publish(f"ask.gamma.nora{number}.{query}", data, reply=alice.client.new_inbox())
        await alice.client.flush()
        asked = {"sequence": sequence} if query == "outcome" else {"query": "heron"} if query == "context" else {}
        async with asyncio.timeout(10):
            assert await bob.ask("nora", query, asked)


async def test_the_command_line_finds_the_reason_of_a_refusal_for_a_limited_bot(guarded: Installation) -> None:
    session = CliSession(guarded.settings, space="alpha", user="olga", bot="alice")
    async with session.client() as memory:
        receipt = await memory.send_raw("pin", b'{"memory_id": 7}')
        outcome = await memory.outcome(receipt)
        with pytest.raises(Malformed, match="memory_id"):
            await raise_rejection(session, receipt, outcome)
