"""Facts on a real server: repeats, corrections, pins, settings and the cap, from the message to the log and the outcome."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from services.ingest.rebuild import rebuild
from services.ingest.store.schema import NAME, of_scope
from shared.contracts.command import Command
from shared.contracts.envelope import Envelope
from shared.contracts.ids import User
from shared.contracts.queries import OutcomeAnswer, Verdict
from shared.contracts.subjects import encode_token
from shared.runtime.metrics import MERGES_REFUSED, REGISTRY
from tests.support.commands import extracted, page
from tests.support.installations import Bot, Installation, Running, events_of, running, until

UNKNOWN = "fact_000000000000000000000000"


async def log_of(installation: Installation, bot: Bot) -> list[Envelope]:
    scope = installation.keys.scope_of(bot.space, User("anna"))
    async with installation.connected("operator") as client:
        return await events_of(client, scope, "anna")


async def told(bot: Bot, what: str, **payload: object) -> OutcomeAnswer:
    """Send a command and wait for what becomes of it, asked for as an SDK does."""
    sequence = await bot.send("anna", what, payload)
    return await bot.outcome("anna", sequence=sequence)


async def learned(installation: Installation, bot: Bot, *commands: Command) -> None:
    """What the consolidator sends, decided."""
    async with installation.connected("consolidator") as client:
        for command in commands:
            subject = f"work.{bot.space}.{encode_token('anna')}.{command.what}"
            payload = command.model_dump_json(exclude_none=True).encode()
            acknowledged = await client.jetstream().publish(subject, payload)
            await bot.outcome("anna", sequence=acknowledged.seq)


async def test_a_fact_told_again_is_answered_with_the_one_that_is_known(
    ingest: Running, bot: Bot, nats_server: Installation
) -> None:
    refused = MERGES_REFUSED._value.get()
    first = await told(bot, "remember_fact", text="Anna likes tea", message_id="f1")
    again = await told(bot, "remember_fact", text="anna likes  TEA!", message_id="f2")
    assert (again.verdict, again.memory_id) == (Verdict.RECORDED, first.memory_id)
    assert again.position > first.position
    assert await bot.outcome("anna", what="remember_fact", message_id="f2") == again
    assert [event.type for event in await log_of(nats_server, bot)] == ["fact_remembered", "memory_repeated"]
    assert ingest.service.is_ready
    asked = await told(bot, "remember_fact", text="Anna likes tea?", message_id="f3")
    assert asked.memory_id != first.memory_id
    assert MERGES_REFUSED._value.get() == refused + 1


async def test_what_was_forgotten_and_is_saved_by_hand_is_kept_and_the_answer_says_so(
    nats_server: Installation, bot: Bot, tmp_path: Path
) -> None:
    settings = nats_server.elsewhere(tmp_path / "lifting")
    async with running(settings):
        fact = await told(bot, "remember_fact", text="Anna likes tea")
        await told(bot, "forget", memory_ids=[fact.memory_id], only=True)
        saved = await told(bot, "remember_fact", text="Anna likes tea!", message_id="f2")
        other = await told(bot, "remember_fact", text="Anna likes walnuts", message_id="f3")
        assert [(each.verdict, each.lifted) for each in (fact, saved, other)] == [
            (Verdict.RECORDED, False),
            (Verdict.RECORDED, True),
            (Verdict.RECORDED, False),
        ]
        assert await bot.outcome("anna", what="remember_fact", message_id="f2") == saved
        again = await told(bot, "correct_fact", memory_id=other.memory_id, text="Anna likes tea", message_id="f4")
        assert not again.lifted


async def test_a_fact_under_another_name_of_the_same_person_is_known_until_that_name_is_forgotten(
    nats_server: Installation, bot: Bot, tmp_path: Path
) -> None:
    settings = nats_server.elsewhere(tmp_path / "aliases")
    async with running(settings) as ingest:
        named = await bot.said("anna", "My sister Anna Smith came by.", message_id="m1")
        await bot.said("anna", "My friend Anna called.")
        first = await told(bot, "remember_fact", text="Anna likes tea")
        again = await told(bot, "remember_fact", text="Anna Smith likes tea")
        assert (again.verdict, again.memory_id) == (Verdict.RECORDED, first.memory_id)
        assert [event.data.by_alias for event in await log_of(nats_server, bot) if event.type == "memory_repeated"] == [True]  # type: ignore[attr-defined]
        forgotten = await told(bot, "forget", memory_ids=[named.memory_id, first.memory_id], only=True)

        async def is_done() -> bool:
            return bool((await bot.ask("anna", "receipt", {"number": forgotten.number}))["state"] == "done")

        await until(is_done, what="the receipt")
        await until(lambda: not full_names(ingest, nats_server, bot), what="its rows made anew")
        facts = [await told(bot, "remember_fact", text=text) for text in ("Anna likes milk", "Anna Smith likes milk")]
        assert len({fact.memory_id for fact in facts}) == 2
        digest = ingest.digest()
    assert await rebuild(settings) == digest


def full_names(ingest: Running, installation: Installation, bot: Bot) -> list[object]:
    """The rows of names of several words."""
    scope = installation.keys.scope_of(bot.space, User("anna"))
    with ingest.service._store.transaction() as db:
        return list(db.execute(select(NAME).where(of_scope(NAME, scope), NAME.c.rest > b"")))


async def test_a_corrected_fact_is_answered_with_its_successor(ingest: Running, bot: Bot, nats_server: Installation) -> None:
    old = await told(bot, "remember_fact", text="Anna lives in Rome")
    new = await told(bot, "correct_fact", memory_id=old.memory_id, text="Anna lives in Oslo", message_id="c1")
    assert new.memory_id not in {None, old.memory_id}
    types = [event.type for event in await log_of(nats_server, bot)]
    assert types == ["fact_remembered", "fact_corrected", "fact_superseded"]
    refused = await told(bot, "correct_fact", memory_id=old.memory_id, text="Anna lives in Paris", message_id="c2")
    assert (refused.verdict, refused.code) == (Verdict.REJECTED, "superseded")
    again = await told(bot, "correct_fact", memory_id=old.memory_id, text="Anna lives in Oslo", message_id="c3")
    assert (again.verdict, again.memory_id) == (Verdict.UNCHANGED, new.memory_id)
    assert ingest.service.is_ready


@pytest.mark.parametrize("what", ["pin", "unpin", "restore", "confirm_fact"])
async def test_what_holds_already_is_answered_at_once_by_message_id_too(what: str, ingest: Running, bot: Bot) -> None:
    fact = await told(bot, "remember_fact", text="Anna likes tea")
    if what in {"pin", "confirm_fact"}:
        await told(bot, what, memory_id=fact.memory_id)
    sequence = await bot.send("anna", what, {"memory_id": fact.memory_id, "message_id": "p1"})
    by_name = await bot.outcome("anna", what=what, message_id="p1")
    assert (by_name.verdict, by_name.memory_id) == (Verdict.UNCHANGED, fact.memory_id)
    assert by_name.position >= fact.position
    assert await bot.outcome("anna", sequence=sequence) == by_name
    assert ingest.service.is_ready


@pytest.mark.parametrize("what", ["pin", "unpin", "restore", "confirm_fact", "correct_fact"])
async def test_a_refusal_is_answered_at_once_by_message_id_too(
    what: str, ingest: Running, bot: Bot, nats_server: Installation
) -> None:
    words = {"text": "Anna likes tea"} if what == "correct_fact" else {}
    await bot.send("anna", what, {"memory_id": UNKNOWN, "message_id": "p1", **words})
    answer = await bot.outcome("anna", what=what, message_id="p1")
    assert (answer.verdict, answer.code, answer.memory_id) == (Verdict.REJECTED, "unknown_memory", None)
    assert [event.type for event in await log_of(nats_server, bot)] == ["command_rejected"]
    assert ingest.service.is_ready


async def test_a_session_that_is_over_is_ended_without_an_event_and_answered(ingest: Running, bot: Bot) -> None:
    await bot.said("anna", "hello")
    ended = await told(bot, "end_session", session_id="s1")
    await bot.send("anna", "end_session", {"session_id": "s1", "message_id": "e1"})
    answer = await bot.outcome("anna", what="end_session", message_id="e1")
    assert (answer.verdict, answer.position) == (Verdict.UNCHANGED, ended.position)
    assert ingest.service.is_ready


async def test_a_refused_id_that_comes_again_corrected_is_answered_with_its_effect(ingest: Running, bot: Bot) -> None:
    await told(bot, "pin", memory_id=UNKNOWN, message_id="p1")
    fact = await told(bot, "remember_fact", text="Anna likes tea")
    await told(bot, "pin", memory_id=fact.memory_id, message_id="p1")
    answer = await bot.outcome("anna", what="pin", message_id="p1")
    assert (answer.verdict, answer.memory_id) == (Verdict.RECORDED, fact.memory_id)
    assert ingest.service.is_ready


async def test_the_cap_trims_what_was_learned_and_restore_brings_it_back(
    ingest: Running, bot: Bot, nats_server: Installation
) -> None:
    await bot.said("anna", "hello", "s1")
    settings = await told(bot, "change_settings", settings={"soft_cap": 2})
    assert settings.verdict is Verdict.RECORDED
    await learned(
        nats_server,
        bot,
        page(extracted("Anna sings", importance=0.1), extracted("Ben rows boats"), number=1),
        page(extracted("Cleo paints houses"), number=2),
    )
    events = await log_of(nats_server, bot)
    (weak,) = [event.data.memory_id for event in events if event.type == "memory_retired"]  # type: ignore[attr-defined]
    restored = await told(bot, "restore", memory_id=weak)
    assert (restored.verdict, restored.memory_id) == (Verdict.RECORDED, weak)
    after = await log_of(nats_server, bot)
    assert [event.type for event in after[len(events) :]] == ["memory_restored", "memory_retired"]
    assert ingest.service.is_ready


async def test_an_excess_of_kept_facts_is_recorded_and_counted(ingest: Running, bot: Bot, nats_server: Installation) -> None:
    before = REGISTRY.get_sample_value("memstream_capacity_exceeded_total") or 0
    await told(bot, "change_settings", settings={"soft_cap": 1})
    for name in ("Anna", "Ben", "Cleo", "Dora"):
        await told(bot, "remember_fact", text=f"{name} sings")
    exceeded = [event.data for event in await log_of(nats_server, bot) if event.type == "capacity_exceeded"]
    assert [json.loads(data.model_dump_json()) for data in exceeded] == [{"live": 2, "cap": 1}, {"live": 3, "cap": 1}]
    assert REGISTRY.get_sample_value("memstream_capacity_exceeded_total") == before + 2
    assert ingest.service.is_ready


async def test_settings_are_changed_and_an_id_stands_for_one_change(ingest: Running, bot: Bot) -> None:
    changed = await told(bot, "change_settings", settings={"memory_enabled": False}, message_id="s1")
    assert (changed.verdict, changed.memory_id) == (Verdict.RECORDED, None)
    same = await told(bot, "change_settings", settings={"memory_enabled": False}, message_id="s2")
    assert same.verdict is Verdict.UNCHANGED
    other = await told(bot, "change_settings", settings={"soft_cap": 5}, message_id="s1")
    assert (other.verdict, other.code) == (Verdict.REJECTED, "id_reused")
    assert ingest.service.is_ready
