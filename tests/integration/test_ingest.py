"""ingest on a real server: from a bot's message to the log, the outcome and REJECTED."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from nats.aio.client import Client
from nats.js.errors import NotFoundError

from memstream.cli.admin import ask_service
from services.ingest.app import slots_of_lane
from services.ingest.command_group import ReadMessage
from services.ingest.domain.decide import decide
from services.ingest.domain.lacks import Needs
from services.ingest.domain.state import ScopeState
from services.ingest.lane import Lane
from services.ingest.rebuild import rebuild
from services.ingest.rejected import MOST_BODY_BYTES
from services.ingest.sent_message import SentMessage
from services.ingest.store import ScopeChanges, Store
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Malformed, NotCaughtUp, OtherWriter, Unavailable
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import EventId, Space, User
from shared.contracts.queries import Verdict
from shared.contracts.subjects import SLOTS, memory_subject, scope_filter, slot_of
from shared.runtime.erasing import erase
from shared.runtime.eventlog.append import Expected, NewEvent, append
from shared.runtime.ids import new_token
from shared.runtime.projector import Projector
from shared.runtime.sending import LaneProgress, purge_decided
from tests.acceptance.everywhere import found
from tests.support.commands import user_says
from tests.support.installations import (
    FAILING_S,
    PATIENCE_S,
    Bot,
    Installation,
    Running,
    events_of,
    last_position,
    running,
    texts_of,
    until,
)
from tests.support.sent import delivery


async def log_of(installation: Installation, bot: Bot, user: str = "anna") -> list[Envelope]:
    scope = installation.keys.scope_of(bot.space, User(user))
    async with installation.connected("operator") as client:
        return await events_of(client, scope, user)


async def refused(client: Client, bot: Bot, user: str = "anna") -> list[tuple[Mapping[str, str], bytes]]:
    """Everything in REJECTED of a user."""
    js, sequence = client.jetstream(), 0
    found: list[tuple[Mapping[str, str], bytes]] = []
    subject = f"rejected.{slot_of(User(user))}.{bot.space}.{user}.*"
    while True:
        try:
            message = await js.get_msg("REJECTED", sequence + 1, subject=subject, next=True, direct=True)
        except NotFoundError:
            return found
        sequence = message.seq or 0
        found.append((message.headers or {}, message.data or b""))


class TestOutcome:
    async def test_a_message_is_recorded_and_its_outcome_says_where(
        self, ingest: Running, bot: Bot, nats_server: Installation
    ) -> None:
        answer = await bot.said("anna", "hello @ben", message_id="m1", metadata={"k": 1}, speaker="Anna")
        events = await log_of(nats_server, bot)
        assert [event.type for event in events] == ["session_started", "episode_recorded"]
        episode = events[1].data
        assert isinstance(episode, EpisodeRecorded)
        assert (episode.text, episode.speaker, episode.metadata) == ("hello @ben", "Anna", {"k": 1})
        assert [entity.name for entity in episode.entities] == ["@ben"]
        assert (answer.verdict, answer.memory_id, answer.number) == (Verdict.RECORDED, episode.memory_id, 2)
        async with nats_server.connected("operator") as client:
            stored = await client.jetstream().get_msg("MEMORY", answer.position)
        assert json.loads(stored.data or b"")["event_id"] == events[1].event_id
        assert ingest.service.is_ready

    async def test_it_is_found_by_message_id_too(self, ingest: Running, bot: Bot) -> None:
        answer = await bot.said("anna", "hello", message_id="m1")
        assert await bot.outcome("anna", what="user_message", message_id="m1") == answer
        assert ingest.service.is_ready

    async def test_whoever_asks_before_it_is_sent_waits(self, ingest: Running, bot: Bot) -> None:
        waiting = asyncio.create_task(bot.outcome("anna", what="user_message", message_id="m1"))
        await bot.said("anna", "something else")
        answer = await bot.said("anna", "hello", message_id="m1")
        assert await waiting == answer
        assert ingest.service.is_ready

    async def test_the_same_message_again_changes_nothing(self, ingest: Running, bot: Bot, nats_server: Installation) -> None:
        first = await bot.said("anna", "hello", message_id="m1")
        second = await bot.said("anna", "hello", message_id="m1")
        assert (second.verdict, second.position) == (Verdict.UNCHANGED, first.position)
        assert texts_of(await log_of(nats_server, bot)) == ["hello"]
        assert ingest.service.is_ready

    async def test_a_repeated_message_is_answered_with_its_memory(self, ingest: Running, bot: Bot) -> None:
        first = await bot.said("anna", "hello", message_id="m1")
        sequence = await bot.say("anna", "hello", message_id="m1")
        again = await bot.outcome("anna", sequence=sequence, what="user_message", message_id="m1")
        assert (again.verdict, again.memory_id) == (Verdict.UNCHANGED, first.memory_id)
        assert ingest.service.is_ready

    async def test_an_import_is_found_by_its_message_id(self, ingest: Running, bot: Bot) -> None:
        turns = [{"role": "user", "session_id": "s1", "text": f"turn {n}", "message_id": f"t{n}"} for n in range(3)]
        sequence = await bot.send("anna", "import_turns", {"turns": turns, "message_id": "i1"})
        by_sequence = await bot.outcome("anna", sequence=sequence)
        assert (by_sequence.verdict, by_sequence.number) == (Verdict.RECORDED, 4)
        by_name = await bot.outcome("anna", what="import_turns", message_id="i1")
        assert by_name.position == by_sequence.position
        assert ingest.service.is_ready

    async def test_nobody_learns_what_became_of_anothers_message(self, ingest: Running, bot: Bot) -> None:
        other = next(name for n in range(9999) if slot_of(User(name := f"user-{n}")) == slot_of(User("anna")))
        sequence = await bot.say("anna", "hello", message_id="m1")
        assert (await bot.outcome("anna", sequence=sequence)).memory_id
        theirs = await bot.outcome(other, sequence=sequence)
        assert (theirs.verdict, theirs.position, theirs.memory_id) == (Verdict.UNCHANGED, 0, None)
        with pytest.raises(NotCaughtUp):
            await bot.outcome(other, what="user_message", message_id="m1", timeout_s=0.1)
        assert ingest.service.is_ready

    @pytest.mark.parametrize(
        "query",
        [b"{", b"[]", b"", b'{"sequence": 0}', b'{"colour": 1}', b"{}", b'{"message_id": "m"}', b'{"sequence": "x"}'],
    )
    async def test_a_query_that_does_not_fit_is_answered_with_why(self, ingest: Running, bot: Bot, query: bytes) -> None:
        with pytest.raises(Malformed):
            await bot.ask("anna", "outcome", query)
        assert ingest.service.is_ready

    async def test_what_was_never_sent_is_not_waited_for_longer_than_asked(self, ingest: Running, bot: Bot) -> None:
        with pytest.raises(NotCaughtUp, match=r"within 0\.05 s"):
            await bot.outcome("anna", sequence=10**9, timeout_s=0.05)
        assert ingest.service.is_ready


WRONG: dict[str, tuple[str, bytes, dict[str, str], str]] = {
    "not json": ("user_message", b"{", {}, "malformed"),
    "unknown field": ("user_message", b'{"session_id":"s","text":"t","txet":1}', {}, "malformed"),
    "not utf-8": ("user_message", b'{"session_id":"s","text":"\xff"}', {}, "malformed"),
    "empty": ("user_message", b"", {}, "malformed"),
    "unknown command": ("nosuch", b"{}", {}, "unknown_type"),
    "for services only": ("record_recall", b"{}", {}, "wrong_channel"),
    "version of the future": ("user_message", b'{"version":2,"session_id":"s","text":"t"}', {}, "unsupported_version"),
    "text too large": (
        "user_message",
        json.dumps({"session_id": "s", "text": "x" * 70_000}).encode(),
        {},
        "too_large",
    ),
    "payload too large": ("user_message", b"x" * 1_500_000, {}, "too_large"),
    "largest that the server takes": ("user_message", b"x" * 1_572_000, {}, "too_large"),
    "unknown session": ("end_session", b'{"session_id":"nowhere"}', {}, "unknown_session"),
    "moment after all time": (
        "user_message",
        b'{"session_id":"s","text":"t","occurred_at":"9999-12-31T23:59:59-12:00"}',
        {},
        "malformed",
    ),
}


class TestRejected:
    @pytest.mark.parametrize(
        ("payload", "reason"),
        [
            ({"text": "I like tea"}, "user_message does not fit: session_id: Field required"),
            ({"session_id": "s1", "text": ""}, "user_message does not fit: text: the text is empty"),
            (
                {"session_id": "s1", "text": "tea", "mood": "good"},
                "mood: Extra inputs are not permitted. Known fields: version",
            ),
            ({"session_id": "s1", "text": "tea", "occurred_at": "monday"}, "occurred_at: Input should be a valid datetime"),
            (b"{", "the payload is not JSON"),
        ],
    )
    @pytest.mark.usefixtures("ingest")
    async def test_whoever_sends_what_does_not_fit_is_told_the_field_and_the_reason(
        self, bot: Bot, payload: dict[str, object] | bytes, reason: str
    ) -> None:
        outcome = await bot.outcome("anna", sequence=await bot.send("anna", "user_message", payload))
        assert (outcome.verdict, outcome.code) == (Verdict.REJECTED, "malformed")
        assert outcome.reason is not None
        assert reason in outcome.reason
        assert "tea" not in outcome.reason

    @pytest.mark.parametrize("case", WRONG)
    async def test_it_is_kept_with_the_reason_and_the_lane_goes_on(
        self, case: str, own_server: Installation, tmp_path: Path
    ) -> None:
        what, payload, headers, code = WRONG[case]
        async with running(own_server.elsewhere(tmp_path / "1")) as ingest, own_server.connected("bot") as client:
            bot = Bot(client, "home")
            sequence = await bot.send("anna", what, payload, headers)
            await goes_on(ingest, bot)
            answer = await bot.outcome("anna", sequence=sequence)
            assert (answer.verdict, answer.code, answer.memory_id) == (Verdict.REJECTED, code, None)
            async with own_server.connected("operator") as operator:
                ((kept, data),) = await refused(operator, bot)
            assert (kept["Memstream-Code"], kept["Memstream-Sequence"]) == (code, str(sequence))
            assert len(kept["Memstream-Reason"]) > 10
            assert data == payload[:MOST_BODY_BYTES]
            assert kept.get("Memstream-Body-Bytes", str(len(data))) == str(len(payload))
            types = [event.type for event in await log_of(own_server, bot)]
            assert types == ["command_rejected", "session_started", "episode_recorded"]

    async def test_a_reused_id_is_kept_and_the_first_words_stand(
        self, ingest: Running, bot: Bot, nats_server: Installation, operator: Client
    ) -> None:
        await bot.said("anna", "hello", message_id="m1")
        answer = await bot.said("anna", "other words", message_id="m1")
        assert (answer.verdict, answer.code) == (Verdict.REJECTED, "id_reused")
        assert texts_of(await log_of(nats_server, bot)) == ["hello"]
        ((headers, data),) = await refused(operator, bot)
        assert headers["Memstream-Code"] == "id_reused"
        assert b"other words" in data
        assert ingest.service.is_ready

    async def test_a_refused_message_is_recorded_when_it_comes_again_corrected(self, ingest: Running, bot: Bot) -> None:
        sequence = await bot.send("anna", "user_message", {"session_id": "s", "text": "", "message_id": "m1"})
        assert (await bot.outcome("anna", sequence=sequence)).verdict is Verdict.REJECTED
        assert (await bot.said("anna", "hello", message_id="m1")).verdict is Verdict.RECORDED
        assert ingest.service.is_ready

    async def test_after_a_forgetting_a_refused_message_keeps_its_words_only_if_they_are_others(
        self, ingest: Running, bot: Bot, operator: Client, nats_server: Installation
    ) -> None:
        async def is_erased() -> bool:  # with it goes all that was refused before
            return any(event.type == "forgetting_completed" for event in await log_of(nats_server, bot))

        await bot.said("anna", "My sister Quixeldra keeps zorbifers.")
        await bot.outcome("anna", sequence=await bot.send("anna", "forget", {"query": "Quixeldra"}))
        await until(is_erased, what="it is erased", within_s=10)
        again = {"session_id": "s1", "text": "My sister Quixeldra keeps zorbifers.", "typo": 1}
        other = {"session_id": "s1", "text": "I work as a pastry chef in Leeds.", "typo": 1}
        sent = [("anna", again), ("anna", other), ("ben", again)]
        sequences = [await bot.send(user, "user_message", said) for user, said in sent]
        for (user, _), sequence in zip(sent, sequences, strict=True):
            assert (await bot.outcome(user, sequence=sequence)).code == "malformed"
        bodies = [data for user in ("anna", "ben") for _, data in await refused(operator, bot, user)]
        assert bodies == [b"", *(json.dumps(said).encode() for said in (other, again))]
        with pytest.raises(NotFoundError):
            await operator.jetstream().get_msg("SEND", sequences[0])
        assert ingest.service.is_ready

    @pytest.mark.parametrize(
        "subject",
        [f"send.{token}.anna.user_message" for token in ("ho*me", "*", ">", ">x", "%61", "a%2eb", "a%", "é", "%FF", "x" * 129)]
        + ["send.home.*.user_message", "send.home.an%20na%.end_session", "send.home.anna.*"],
    )
    async def test_a_subject_that_is_not_canonical_is_kept_and_the_lane_goes_on(
        self, subject: str, ingest: Running, bot: Bot, operator: Client
    ) -> None:
        before = await last_position(operator, "REJECTED")
        await bot.client.jetstream().publish(subject, b"{}")
        await goes_on(ingest, bot)

        async def is_kept() -> bool:
            return await last_position(operator, "REJECTED") > before

        await until(is_kept, what="it is kept in REJECTED")
        kept = await operator.jetstream().get_msg("REJECTED", before + 1)
        assert (kept.headers or {})["Memstream-Code"] in {"invalid_token", "unknown_type"}

    @pytest.mark.usefixtures("ingest")
    async def test_a_name_that_is_no_command_stands_in_no_subject_of_rejected(self, bot: Bot, operator: Client) -> None:
        before = await last_position(operator, "REJECTED")
        await bot.outcome("anna", sequence=await bot.send("anna", "my-xylophone", {}))
        kept = await operator.jetstream().get_msg("REJECTED", before + 1)
        assert (kept.subject or "").endswith(".unknown")

    async def test_the_log_holds_no_word_of_what_was_refused(
        self, ingest: Running, bot: Bot, nats_server: Installation
    ) -> None:
        sequence = await bot.send("anna", "xylophone", {"text": "xylophone", "xylophone": 1})
        await bot.outcome("anna", sequence=sequence)
        assert b"xylophone" not in b"".join(event.encode() for event in await log_of(nats_server, bot))
        assert ingest.service.is_ready


async def goes_on(ingest: Running, bot: Bot, user: str = "anna") -> None:
    """Later messages of the same user are recorded; fails at once if ingest ended, and in time if it is stuck."""
    after = asyncio.create_task(bot.said(user, "still here"))
    done, _ = await asyncio.wait([after, ingest.task], timeout=FAILING_S, return_when=asyncio.FIRST_COMPLETED)
    if after not in done:
        after.cancel()
        await asyncio.gather(after, return_exceptions=True)
    if ingest.task in done:
        ingest.task.result()
    assert after in done, "the lane is stuck"
    assert after.result().verdict is Verdict.RECORDED


async def raw(bot: Bot, subject: bytes, header: bytes, payload: bytes) -> None:
    """Publish past nats-py's own checks, as any client in any language may."""
    transport: Any = bot.client._transport
    if header:
        sizes = f"{len(header)} {len(header) + len(payload)}".encode()
        transport.write(b"HPUB " + subject + b" " + sizes + b"\r\n" + header + payload + b"\r\n")
    else:
        transport.write(b"PUB " + subject + b" " + str(len(payload)).encode() + b"\r\n" + payload + b"\r\n")
    await bot.client.flush()


HOSTILE: dict[str, tuple[bytes, bytes, bytes]] = {
    "subject is not utf-8": (b"send.home.anna.\xff\xfe", b"", b"{}"),
    "user is not utf-8": (b"send.home.\xff\xfe.user_message", b"", b"{}"),
    "question is not utf-8": (b"ask.home.\xff\xfe.outcome", b"", b"{}"),
    "header without a name": (b"send.home.anna.user_message", b"NATS/1.0\r\nnonsense\r\n\r\n", b"{}"),
    "header with nothing in it": (b"send.home.anna.user_message", b"NATS/1.0\r\n\r\n", b"{}"),
    "header is not utf-8": (b"send.home.anna.user_message", b"NATS/1.0\r\nMemstream-Actor: \xff\xfe\r\n\r\n", b"{}"),
    "header name is not utf-8": (b"send.home.anna.user_message", b"NATS/1.0\r\n\xff: x\r\n\r\n", b"{}"),
    "header like a status": (b"send.home.anna.user_message", b"NATS/1.0 503\r\n\r\n", b""),
    "header like a conflict": (b"send.home.anna.user_message", b"NATS/1.0 409 Consumer Deleted\r\n\r\n", b""),
    "header folded": (b"send.home.anna.user_message", b"NATS/1.0\r\nA: b\r\n c\r\n\r\n", b"{}"),
    "header of the log": (
        b"send.home.anna.user_message",
        b"NATS/1.0\r\nMemstream-Sent: x.1\r\nMemstream-Correlation: a\tb\r\n\r\n",
        b"{}",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
async def test_the_lane_goes_on_after_a_message_that_no_library_would_send(
    case: str, own_server: Installation, tmp_path: Path
) -> None:
    async with running(own_server.elsewhere(tmp_path / "1"), lanes=1) as ingest, own_server.connected("bot") as client:
        bot = Bot(client, "home")
        await raw(bot, *HOSTILE[case])
        await goes_on(ingest, bot)


async def test_the_lane_goes_on_after_metadata_that_is_nested_as_deep_as_it_may(
    own_server: Installation, tmp_path: Path
) -> None:
    settings = own_server.elsewhere(tmp_path / "1")
    nested = b'{"session_id":"s","text":"t","metadata":{"a":' + b"[" * 198 + b"]" * 198 + b"}}"
    async with own_server.connected("bot") as client:
        bot = Bot(client, "home")
        async with running(settings) as ingest:
            await bot.outcome("anna", sequence=await bot.send("anna", "user_message", nested))
            await goes_on(ingest, bot)
        async with running(own_server.elsewhere(tmp_path / "2")) as rebuilt:
            await goes_on(rebuilt, bot)


async def test_send_is_drained_when_everything_is_decided(own_server: Installation, tmp_path: Path) -> None:
    async with running(own_server.elsewhere(tmp_path / "1")), own_server.connected("bot") as client:
        bot = Bot(client, "home")
        for number in range(20):
            await bot.said(f"user-{number}", "hello")
        await drained(own_server)
        answer = await bot.said("user-1", "one more")
        assert answer.number == 3


async def drained(installation: Installation) -> None:
    async with installation.connected("ingest") as client:

        async def is_empty() -> bool:
            return not (await client.jetstream().stream_info("SEND")).state.messages

        await until(is_empty, what="SEND is empty")


async def test_the_servers_index_names_nobody_whose_messages_were_erased(own_server: Installation) -> None:
    """nats-server writes it when it ends and every two minutes, not when a message is deleted."""
    async with own_server.connected("bot") as client:
        sequence = await Bot(client, "home").say("Grumblethorpe", "hello")
    await own_server.server.stop()
    await own_server.server.start()
    folder = own_server.settings.files.root
    async with own_server.connected("ingest") as client:
        await erase(client, "SEND", [sequence])
        assert found(folder, ["Grumblethorpe"])
        assert await purge_decided(client, [LaneProgress(None, 0, sequence)]) == sequence
        await until(lambda: not found(folder, ["Grumblethorpe"]), what="the server has removed what it purged")
        assert await purge_decided(client, [LaneProgress(None, 0, sequence)], purged=sequence) == 0


async def test_nothing_is_purged_that_is_not_decided(own_server: Installation, tmp_path: Path) -> None:
    async with own_server.connected("bot") as client, own_server.connected("ingest") as ingest_client:
        bot = Bot(client, "home")
        async with running(own_server.elsewhere(tmp_path / "1")):
            await bot.said("anna", "hello")
            await drained(own_server)
        for number in range(5):
            await bot.say(f"user-{number}", "while ingest was away")
        assert await purge_decided(ingest_client, [LaneProgress(None, 0, 0)]) == 0
        async with running(own_server.elsewhere(tmp_path / "2")):
            answer = await bot.outcome("user-4", sequence=await bot.say("user-4", "and now"))
        assert answer.number == 3


async def test_it_drains_by_itself(own_server: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.ingest.drain._PERIOD_S", 0.02)
    async with running(own_server.elsewhere(tmp_path / "1")), own_server.connected("bot") as client:
        await Bot(client, "home").said("anna", "hello")
        async with own_server.connected("operator") as operator:

            async def is_empty() -> bool:
                return not (await operator.jetstream().stream_info("SEND")).state.messages

            await until(is_empty, what="SEND is empty")


async def chat(bot: Bot, *, users: int = 6, turns: int = 5, first: int = 0) -> dict[str, list[str]]:
    """Send turns of several users without waiting in between; what each said, in order."""
    said: dict[str, list[str]] = {}
    for number in range(first, first + turns):
        for user in (f"user-{n}" for n in range(users)):
            await bot.say(user, f"{user} turn {number}", f"s{number // 3}", message_id=f"m{number}")
            said.setdefault(user, []).append(f"{user} turn {number}")
    return said


async def decided(bot: Bot, users: int = 6, last: int = 4) -> None:
    for user in (f"user-{n}" for n in range(users)):
        await bot.outcome(user, what="user_message", message_id=f"m{last}")


async def recorded(installation: Installation, bot: Bot, users: int = 6) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for user in (f"user-{n}" for n in range(users)):
        events = await log_of(installation, bot, user)
        assert [event.number for event in events] == list(range(1, len(events) + 1))
        assert len({event.event_id for event in events}) == len(events)
        found[user] = texts_of(events)
    return found


class TestDisturbed:
    """Whatever happens, every message is in the log once and in order."""

    @pytest.mark.parametrize("error", [Unavailable("simulated"), RuntimeError("simulated")])
    async def test_a_kill_between_append_and_checkpoint_loses_and_doubles_nothing(
        self, error: Exception, nats_server: Installation, bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings = nats_server.elsewhere(tmp_path / "killed")
        saved = Store.save
        failures: list[int] = []

        def save_but_once(store: Store, changes: ScopeChanges) -> None:
            if changes.after and not failures:
                failures.append(1)
                raise error
            saved(store, changes)

        async with running(settings) as ingest:
            monkeypatch.setattr(Store, "save", save_but_once)
            said = await chat(bot)
            await decided(bot)
            assert not ingest.task.done()  # nor does an error that nobody foresaw end it
        async with running(settings) as again:
            await decided(bot)
            digest = again.digest()
        assert failures == [1]
        assert await recorded(nats_server, bot) == said
        async with running(nats_server.elsewhere(tmp_path / "rebuilt")) as rebuilt:
            assert rebuilt.digest() == digest

    async def test_a_kill_between_the_reply_and_the_save_loses_and_doubles_nothing(
        self, nats_server: Installation, bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings = nats_server.elsewhere(tmp_path / "killed")
        with monkeypatch.context() as crash:
            crash.setattr(Store, "_write_unsaved", lambda _: None)
            async with running(settings) as ingest:
                first = await bot.said("anna", "hello", message_id="m1")
                assert first.verdict is Verdict.RECORDED
                crash.setattr(ingest.service._store, "_unsaved", [])  # what a kill takes
        async with running(settings) as again:
            repeated = await bot.said("anna", "hello", message_id="m1")
            assert (repeated.verdict, repeated.position) == (Verdict.UNCHANGED, first.position)
            digest = again.digest()
        assert texts_of(await log_of(nats_server, bot)) == ["hello"]
        async with running(nats_server.elsewhere(tmp_path / "rebuilt")) as rebuilt:
            assert rebuilt.digest() == digest

    async def test_an_append_whose_answer_is_lost_is_not_repeated(
        self, nats_server: Installation, bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lost: list[int] = []

        async def deaf(client: Client, events: list[NewEvent]) -> list[int]:
            positions = await append(client, events)
            if len(lost) < 3:
                lost.append(len(positions))
                raise Unavailable("simulated")
            return list(positions)

        monkeypatch.setattr("services.ingest.appending.append", deaf)
        async with running(nats_server.elsewhere(tmp_path / "1")):
            said = await chat(bot)
            await decided(bot)
        assert len(lost) == 3
        assert await recorded(nats_server, bot) == said

    async def test_a_lane_stops_even_where_a_library_forgot_its_cancellation(
        self, nats_server: Installation, bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """nats-py awaits replies with asyncio.wait_for: on Python 3.11 it forgets a cancellation that comes with the reply."""
        appended = asyncio.Event()

        async def forgetful(client: Client, events: list[NewEvent]) -> list[int]:
            positions = await append(client, events)
            appended.set()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(PATIENCE_S)
            return list(positions)

        async with running(nats_server.elsewhere(tmp_path / "1")):
            monkeypatch.setattr("services.ingest.appending.append", forgetful)
            await bot.say("anna", "hello")
            await appended.wait()

    async def test_ingest_db_is_rebuilt_from_the_log_and_knows_every_message(
        self, nats_server: Installation, bot: Bot, tmp_path: Path
    ) -> None:
        settings = nats_server.elsewhere(tmp_path / "1")
        async with running(settings) as ingest:
            said = await chat(bot)
            await decided(bot)
            digest = ingest.digest()
        for path in settings.files.projection("ingest").iterdir():
            path.unlink()
        async with running(settings) as ingest:
            assert ingest.digest() == digest
            again = [
                await bot.said(user, text, f"s{n // 3}", message_id=f"m{n}")
                for user in said
                for n, text in enumerate(said[user])
            ]
            assert {answer.verdict for answer in again} == {Verdict.UNCHANGED}
            assert ingest.digest() == digest
        assert await recorded(nats_server, bot) == said

    async def test_the_rebuild_command_gives_the_same_digest(self, nats_server: Installation, bot: Bot, tmp_path: Path) -> None:
        settings = nats_server.elsewhere(tmp_path / "1")
        async with running(settings) as ingest:
            await chat(bot)
            await decided(bot)
            digest = ingest.digest()
        assert await rebuild(settings) == digest
        async with running(settings) as ingest:
            assert ingest.digest() == digest

    async def test_the_number_of_lanes_may_change(self, nats_server: Installation, bot: Bot, tmp_path: Path) -> None:
        settings = nats_server.elsewhere(tmp_path / "1")
        said: dict[str, list[str]] = {}
        digests = []
        for round_, lanes in enumerate((2, 5, 1, 16)):
            for user, texts in (await chat(bot, first=5 * round_)).items():
                said.setdefault(user, []).extend(texts)
            async with running(settings, lanes=lanes) as ingest:
                await decided(bot, last=5 * round_ + 4)
                digests.append(ingest.digest())
        assert await recorded(nats_server, bot) == said
        assert len(set(digests)) == 4
        async with running(nats_server.elsewhere(tmp_path / "2")) as rebuilt:
            assert rebuilt.digest() == digests[-1]

    async def test_a_restart_of_the_server_loses_and_doubles_nothing(self, own_server: Installation, tmp_path: Path) -> None:
        async with (
            running(own_server.elsewhere(tmp_path / "1")) as ingest,
            own_server.connected("bot") as client,
        ):
            bot = Bot(client, "home")
            said = await chat(bot, turns=5)
            await own_server.server.stop()
            await own_server.server.start()
            await until(lambda: client.is_connected)
            await asyncio.wait_for(until_acknowledged(bot), PATIENCE_S)
            for user, texts in (await chat(bot, first=5)).items():
                said[user] += texts
            await decided(bot, last=9)
            assert await recorded(own_server, bot) == said
            assert not ingest.task.done()

    async def test_a_second_ingest_on_the_same_lanes_doubles_nothing(self, own_server: Installation, tmp_path: Path) -> None:
        async with (
            running(own_server.elsewhere(tmp_path / "1")) as one,
            running(own_server.elsewhere(tmp_path / "2")) as other,
            own_server.connected("bot") as client,
        ):
            bot = Bot(client, "home")
            said = await chat(bot, turns=15)
            await settled(own_server, [one, other])
            for service in (one, other):
                if service.task.done():
                    assert isinstance(service.task.exception(), OtherWriter)
        async with running(own_server.elsewhere(tmp_path / "3")) as third, own_server.connected("bot") as client:
            await decided(Bot(client, "home"), last=14)
            assert third.service._store.missing() == []
        assert await recorded(own_server, bot) == said

    async def test_what_a_second_ingest_wrote_is_known_to_the_first(self, own_server: Installation, tmp_path: Path) -> None:
        """The first appends for ben after the other appended for anna: its checkpoint must not skip anna's events."""
        anna, ben = "anna", "ben"
        async with own_server.connected("bot") as client:
            bot = Bot(client, "home")
            async with running(own_server.elsewhere(tmp_path / "1"), lanes=1) as one:
                await bot.said(ben, "hello", message_id="m0")
                await foreign_turn(own_server, anna, "m1")
                await bot.said(ben, "goodbye", message_id="m1")
                sequence = await bot.say(anna, "from elsewhere", message_id="m1")
                await goes_on(one, bot)
                again = await bot.outcome(anna, sequence=sequence)
                assert again.verdict is Verdict.UNCHANGED
                assert not one.task.done()
        assert texts_of(await log_of(own_server, bot, anna)) == ["from elsewhere", "still here"]

    @pytest.mark.parametrize("foreign", [False, True])
    async def test_own_events_are_passed_unread_only_where_there_are_no_others(
        self,
        foreign: bool,  # noqa: FBT001
        own_server: Installation,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("services.ingest.lane._MOST_UNREAD", 3)
        read: list[int] = []
        catch_up = Projector.catch_up

        async def counted(projector: Projector) -> None:
            read.append(1)
            await catch_up(projector)

        monkeypatch.setattr(Projector, "catch_up", counted)
        async with running(own_server.elsewhere(tmp_path / "1"), lanes=1) as one, own_server.connected("bot") as client:
            bot, store = Bot(client, "home"), one.service._store
            await bot.said("ben", "hello")
            if foreign:
                await foreign_turn(own_server, "anna", "m1")
            for text in ("one", "two", "three", "four", "five", "six"):
                await bot.said("ben", text)
            assert (len(read) > 1) == foreign
            checkpoint = min(position for position, _ in store.slots().values())
            assert await last_position(client=one.service.broker.connection) - checkpoint < 4
            known = store.load({own_server.keys.scope_of(bot.space, User("anna")): Needs()})
            assert [state.number for state in known.values()] == [2 if foreign else 0]
            digest = one.digest()
        async with running(own_server.elsewhere(tmp_path / "2")) as rebuilt:
            assert rebuilt.digest() == digest

    async def test_another_writer_on_a_scope_is_met_by_the_fence_and_its_events_are_taken_in(
        self, ingest: Running, bot: Bot, nats_server: Installation, writer: Client
    ) -> None:
        await bot.said("anna", "hello")
        scope, slot = nats_server.keys.scope_of(bot.space, User("anna")), slot_of(User("anna"))
        known = await log_of(nats_server, bot)
        foreign = known[-1].model_copy(update={"event_id": EventId(new_token()), "number": 3})
        before = await last_position(writer)
        fence = Expected(scope_filter(slot, scope), before)
        await append(writer, [NewEvent(memory_subject(slot, scope, foreign.type), foreign.event_id, foreign.encode(), fence)])
        answer = await bot.said("anna", "after the other writer")
        assert (answer.verdict, answer.number) == (Verdict.RECORDED, 4)
        assert not ingest.task.done()

    async def test_a_writer_that_keeps_writing_halts_the_lane(
        self, own_server: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with own_server.connected("ingest") as intruder, own_server.connected("bot") as client:
            scope, slot = own_server.keys.scope_of(Space("home"), User("anna")), slot_of(User("anna"))
            bot = Bot(client, "home")

            async def outrun(client: Client, events: list[NewEvent]) -> list[int]:
                (known,) = (await events_of(intruder, scope, "anna"))[-1:]
                event = known.model_copy(update={"event_id": EventId(new_token()), "number": known.number + 1})
                await append(intruder, [NewEvent(memory_subject(slot, scope, event.type), event.event_id, event.encode())])
                return list(await append(client, events))

            async with running(own_server.elsewhere(tmp_path / "1")) as ingest:
                await bot.said("anna", "hello")
                monkeypatch.setattr("services.ingest.appending.append", outrun)
                await bot.say("anna", "never decided")
                assert isinstance(await ingest.failure(), OtherWriter)
        assert "never decided" not in texts_of(await log_of(own_server, bot))


async def settled(installation: Installation, services: list[Running]) -> None:
    """Everything in SEND is decided and purged, or nobody is left to decide it."""
    async with installation.connected("ingest") as client:

        async def is_settled() -> bool:
            nobody_left = all(service.task.done() for service in services)
            return nobody_left or not (await client.jetstream().stream_info("SEND")).state.messages

        await until(is_settled)


async def foreign_turn(installation: Installation, user: str, message_id: str) -> None:
    """What another ingest would append for a message of this user."""
    keys = installation.keys
    scope, slot = keys.scope_of(Space("home"), User(user)), slot_of(User(user))
    command = user_says("from elsewhere", message_id=message_id)
    payload = command.model_dump_json(exclude_none=True).encode()
    message = SentMessage.read(delivery(command.what, payload, user=User(user)), keys=keys, send_id="5e" * 16)
    decided_ = decide(command, ScopeState(), message.circumstances(command)).events
    events = [NewEvent(memory_subject(slot, scope, event.type), event.event_id, event.encode()) for event in decided_]
    async with installation.connected("ingest") as client:
        await append(client, events)


async def until_acknowledged(bot: Bot) -> None:
    """JetStream is back after a restart when it acknowledges."""
    while True:
        try:
            await bot.say("nobody", "ping")
        except Exception:  # noqa: BLE001 - whatever the client makes of a server that is starting
            await asyncio.sleep(0.02)
        else:
            return


def test_every_slot_belongs_to_exactly_one_lane() -> None:
    for lanes in range(1, 17):
        slots = [slot for index in range(lanes) for slot in slots_of_lane(index, lanes)]
        assert sorted(slots) == list(range(SLOTS))


async def test_the_backlog_counts_all_that_is_not_decided_and_is_unknown_until_it_can_be_told(
    own_server: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, decide = asyncio.Event(), Lane._decide

    async def later(lane: Lane, items: Sequence[ReadMessage]) -> list[ReadMessage]:
        await go_on.wait()
        return await decide(lane, items)

    monkeypatch.setattr(Lane, "_decide", later)
    async with own_server.connected("bot") as client, own_server.connected("operator") as operator:
        for number in range(40):  # acknowledged while ingest was away
            await Bot(client, "home").say(f"user-{number % 7}", f"My number is {number}.")

        async def backlog() -> int | None:
            with contextlib.suppress(Unavailable):
                return int(sum((await ask_service(operator, "ingest", "backlog", timeout_s=PATIENCE_S)).values()))
            return None

        assert await backlog() is None
        async with running(own_server.elsewhere(tmp_path / "1")):
            told = set[int | None]()

            async def is_told() -> bool:
                told.add(await backlog())
                return told != {None}

            await until(is_told, what="it is told")
            assert told <= {None, 40}
            go_on.set()

            async def is_none_left() -> bool:
                return await backlog() == 0

            await until(is_none_left, what="all is decided")
