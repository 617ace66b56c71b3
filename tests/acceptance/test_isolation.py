"""Promise 5: nobody sees another space or user, whatever the ids look like; and no file or subject bears a name."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.contracts.command import Channel, Command
from shared.contracts.commands import COMMANDS
from shared.contracts.errors import InvalidToken
from shared.contracts.events import decode
from shared.contracts.queries import QUERIES, Asked
from shared.contracts.subjects import encode_token
from shared.runtime.connection import operator_connection
from shared.runtime.eventlog.read import LogReader
from tests.acceptance.processes import Bot, Installation
from tests.support.examples import examples
from tests.support.installations import until
from tests.support.live_folder import look_through

HOSTILE = (
    "a.b",
    "a",
    "b",
    "*",
    ">",
    "%",
    "a%2Eb",
    "😀",
    "x" * 128,
    "a b",
    "../x",
    "..",
    "/",
    "\\",
    "\t",
    "$JS",
    "é",
    "e\u0301",
)


async def _tell(bot: Bot, space: str, user: str, word: str) -> int:
    subject = f"{encode_token(space)}.{encode_token(user)}"
    sequence = await bot.send(f"send.{subject}.user_message", {"session_id": "s", "text": f"the secret {word}"})
    answer = await bot.ask(f"ask.{subject}.outcome", {"sequence": sequence})
    assert answer["verdict"] == "recorded", answer
    return int(answer["position"])


async def _told(bot: Bot, space: str, user: str, position: int) -> list[str]:
    subject = f"ask.{encode_token(space)}.{encode_token(user)}"
    question = {"query": "the secret", "limit": 100, "min_position": position}
    answers = [await bot.ask(f"{subject}.{query}", question) for query in ("context", "search")]
    listed = await bot.ask(f"{subject}.list", {"min_position": position})
    return [item["text"] for answer in (*answers, listed) for item in answer["items"]]


async def test_hostile_ids_never_meet_each_other(installation: Installation) -> None:
    """Every pair of hostile ids as space and user has its own word, and sees no other."""
    pairs = [(space, user) for space, user in itertools.product(HOSTILE[:9], HOSTILE) if space != user][:80]
    async with installation.bot() as bot:
        last = 0
        for index, (space, user) in enumerate(pairs):
            last = max(last, await _tell(bot, space, user, f"word{index}x"))
        for index, (space, user) in enumerate(pairs):
            assert set(await _told(bot, space, user, last)) == {f"the secret word{index}x"}
    _no_file_bears_a_name(installation.files.root)
    subjects = await _log_subjects(installation)
    assert all(subject.split(".")[1].isdigit() and len(subject.split(".")[2]) == 32 for subject in subjects)


def _no_file_bears_a_name(root: Path) -> None:
    names = look_through(root, lambda folder: {part for path in folder.rglob("*") for part in path.relative_to(root).parts})
    tokens = {encode_token(name) for name in HOSTILE if len(name) > 2} | {name for name in HOSTILE if len(name) > 2}
    assert not {name for name in names for token in tokens if token in name}


async def _log_subjects(installation: Installation) -> set[str]:
    async with operator_connection(installation.settings) as client:
        info = await client.jetstream().stream_info("MEMORY", subjects_filter=">")
    return set(info.state.subjects or {})


@pytest.mark.hypothesis
async def test_ids_of_any_kind_never_meet_each_other(installation: Installation) -> None:
    """The same for ids that Hypothesis makes up: one installation, many pairs of users."""
    seen: dict[tuple[str, str], str] = {}
    ids = st.text(min_size=1, max_size=40).filter(_is_allowed)

    async def tell_and_ask(bot: Bot, first: str, second: str) -> None:
        for space, user in ((first, second), (second, first)):
            word = seen.setdefault((space, user), f"word{len(seen)}x")
            position = await _tell(bot, space, user, word)
            assert set(await _told(bot, space, user, position)) == {f"the secret {word}"}

    @settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
    @given(first=ids, second=ids)
    def collect(first: str, second: str) -> None:
        pairs.append((first, second))

    pairs: list[tuple[str, str]] = []
    collect()
    async with installation.bot() as bot:
        for first, second in pairs:
            await tell_and_ask(bot, first, second)


def _is_allowed(text: str) -> bool:
    try:
        encode_token(text)
    except InvalidToken:
        return False
    return True


async def test_text_rests_in_the_log_and_in_the_users_own_files_only(installation: Installation) -> None:
    """Law 3, by searching every byte under the data folder."""
    word = "zyxomma"
    async with installation.bot() as bot:
        position = await _tell(bot, "home", "anna", word)
        rejected = await bot.send("send.home.anna.user_message", {"session_id": "s", "text": word, "typo": 1})
        answer = await bot.ask("ask.home.anna.outcome", {"sequence": rejected})
        assert answer["verdict"] == "rejected"
        assert await _told(bot, "home", "anna", position)
        assert not await _told(bot, "home", "ben", position)
    await installation.stop()
    scope = installation.keys.scope_of("home", "anna")  # type: ignore[arg-type]
    holders = {_room(installation.files.root, path) for path in _holding(installation.files.root, word)}
    own = f"retriever/memories/{scope[:2]}/{scope}.db"
    assert holders == {"nats", own}
    of_retriever = {path.suffix for path in (installation.files.root / "retriever").rglob("*") if path.is_file()}
    assert of_retriever <= {".db", ".db-wal", ".db-shm"}, "nothing but SQLite files"


def _holding(root: Path, word: str) -> list[Path]:
    def holds(path: Path) -> bool:
        return path.is_file() and word.encode() in path.read_bytes().lower()

    return look_through(root, lambda folder: [path for path in folder.rglob("*") if holds(path)])


def _room(root: Path, path: Path) -> str:
    relative = path.relative_to(root)
    return "nats" if relative.parts[0] == "nats" else str(relative)


async def test_the_memory_of_another_user_is_answered_like_one_that_never_was(installation: Installation) -> None:
    never = "fact_0123456789abcdef01234567"
    async with installation.bot() as bot:
        sequence = await bot.send("send.home.anna.remember_fact", {"text": "Anna likes zorbifers"})
        told = await bot.ask("ask.home.anna.outcome", {"sequence": sequence})
        await _tell(bot, "home", "ben", "word")
        for what in ("show", "similar", "forget_preview"):
            field = "memory_ids" if what == "forget_preview" else "memory_id"
            answers = []
            for memory_id in (told["memory_id"], never):
                query = {field: [memory_id] if field == "memory_ids" else memory_id, "min_position": told["position"]}
                answers.append(await bot.ask(f"ask.home.ben.{what}", query))
            assert answers[0] == answers[1]
        for what in ("pin", "unpin", "record_feedback", "confirm_fact", "restore", "correct_fact", "forget"):
            outcomes = []
            for memory_id in (told["memory_id"], never):
                fields = {"memory_ids": [memory_id]} if what == "forget" else {"memory_id": memory_id}
                fields |= {"text": "x"} if what == "correct_fact" else {}
                fields |= {"helped": True} if what == "record_feedback" else {}
                sent = await bot.send(f"send.home.ben.{what}", fields)
                outcome = await bot.ask("ask.home.ben.outcome", {"sequence": sent, "timeout_s": 10})
                outcomes.append({name: outcome.get(name) for name in ("verdict", "code", "message", "memory_id")})
            assert outcomes[0] == outcomes[1]
            assert outcomes[0]["verdict"] == "rejected"
        receipts = [await bot.ask("ask.home.ben.receipt", {"number": number}) for number in (told["number"], 999)]
        assert {receipt["error"]["code"] for receipt in receipts} == {"not_found"}
        assert (await bot.ask("ask.home.anna.show", {"memory_id": told["memory_id"]}))["memory"]


async def test_badly_encoded_tokens_are_rejected_and_the_lane_goes_on(installation: Installation) -> None:
    async with installation.bot() as bot:
        for token in ("a%2eb", "%41", "%FF", "%2", "a*b"):
            await bot.send(f"send.home.{token}.user_message", {"session_id": "s", "text": "hidden"})
            reply: dict[str, Any] = await bot.ask(f"ask.home.{token}.stats", {})
            assert reply["error"]["code"] == "invalid_token"
        assert await _tell(bot, "home", "anna", "word")
    async with operator_connection(installation.settings) as client:

        async def are_rejected() -> bool:  # each in the lane of its slot, which are not told of one another
            return (await client.jetstream().stream_info("REJECTED")).state.messages >= 5

        await until(are_rejected, what="all five are rejected")
        assert (await client.jetstream().stream_info("REJECTED")).state.messages == 5
        first = await client.jetstream().get_msg("REJECTED", 1)
        assert (first.headers or {})["Memstream-Code"] == "invalid_token"
        events = [decode(record.data).type async for batch in LogReader(client).to_end() for record in batch]
    assert events[:2] == ["session_started", "episode_recorded"]
    assert events[2:] in ([], ["memory_embedded"])  # perhaps by now: the refused ones left no trace in the log


async def test_a_bot_cannot_listen_to_replies_or_to_what_others_send(installation: Installation) -> None:
    """Its own account holds nothing but send and ask, and its own inbox."""
    refused: list[str] = []
    async with installation.bot(on_error=refused.append) as spy, installation.bot() as bot:
        heard = [await spy.client.subscribe(subject) for subject in (">", "_INBOX.>", "send.>", "ask.>", "_R_.>", "memory.>")]
        await spy.client.flush()
        position = await _tell(bot, "home", "anna", "word")
        assert await _told(bot, "home", "anna", position)
        await spy.client.flush()
        assert [subscription.pending_msgs for subscription in heard] == [0] * len(heard)
    assert len(refused) == len(heard)


_REFERENCES = {
    "memory_id": "{fact}",
    "memory_ids": ["{fact}"],
    "source_ids": ["{turn}"],
    "session_id": "{session}",
    "exclude_session_id": "{session}",
    "message_id": "{message}",
    "deleted_message_id": "{message}",
    "recall_id": "{recall}",
}
"""Fields by which a person's things can be named."""

_OTHERS = {
    "text": "Something else.",
    "query": "Who keeps zorbifers?",
    "name": "Quixeldra",
    "number": 1,
    "settings": {},
    "turns": [{"role": "user", "session_id": "{session}", "text": "Brought in.", "message_id": "{message}"}],
    "what": "user_message",
}
"""What else a command or a query must be given; a new required field has to be entered here."""

_ANNAS = {"session": "anna-session", "message": "anna-message"}
_NOBODYS = {
    "fact": "fact_0123456789abcdef01234567",
    "turn": "ep_0123456789abcdef01234567",
    "session": "nobodys-session",
    "message": "nobodys-message",
    "recall": "rec_0123456789abcdef",
}
_CONTRACTS: dict[str, type[Asked | Command]] = {
    **QUERIES,
    **{what: model for what, model in COMMANDS.items() if model.channel is Channel.SEND and what != "import_memories"},
}
"""What a bot may ask and send. An export of one's own names nothing of another's."""

_ANEW = {"position", "recall_id", "scope", "header"}


def _payloads(model: type[Asked | Command], names: dict[str, str]) -> Iterator[dict[str, Any]]:
    """One for each field that can name a person's things; one without."""
    needed = {
        name: _OTHERS.get(name, _REFERENCES.get(name)) for name, field in model.model_fields.items() if field.is_required()
    }
    extra = {"what": "user_message"} if "what" in model.model_fields else {}
    for reference in [None, *(name for name in _REFERENCES if name in model.model_fields)]:
        named = {reference: _REFERENCES[reference]} if reference else {}
        yield json.loads(_filled(json.dumps(needed | (extra if reference == "message_id" else {}) | named), names))


def _filled(text: str, names: dict[str, str]) -> str:
    for name, value in names.items():
        text = text.replace("{" + name + "}", value)
    return text


@pytest.mark.timeout(300)
async def test_whatever_is_asked_or_sent_another_users_things_are_as_if_they_were_not(installation: Installation) -> None:
    """Every query and every command of the contract, by Anna in another space and by two who know nothing of her."""
    async with installation.bot() as bot:
        annas = await _annas_things(bot)
        before = await _all_of_anna(bot)
        for asker in ("home.{}", "away.{}"):
            ben, cleo = asker.format("ben"), asker.format("cleo")
            for what, model in _CONTRACTS.items():
                if what == "mark_session_consolidated":
                    await installation.learned()  # else it says whose session was learned from first
                pairs = zip(_payloads(model, annas), _payloads(model, _NOBODYS), strict=True)
                for hers, nobodys in pairs:
                    tries = [(ben, hers), (cleo, nobodys)]
                    answers = [await _tried(bot, person, model, payload) for person, payload in tries]
                    assert answers[0] == answers[1], what
        assert await _all_of_anna(bot) == before


async def _tried(bot: Bot, person: str, model: type[Asked | Command], payload: dict[str, Any]) -> dict[str, Any]:
    """The answer or the outcome, without what differs by nature: positions, and ids that are made anew."""
    if issubclass(model, Command):
        sequence = await bot.send(f"send.{person}.{model.what}", payload)
        outcome = await bot.ask(f"ask.{person}.outcome", {"sequence": sequence, "timeout_s": 10})
        assert {"verdict", "position"} <= outcome.keys(), outcome
        return {name: outcome.get(name) for name in ("verdict", "code", "message")}
    request = json.dumps({**payload, "timeout_s": 0.5}).encode()  # what waits for something that never was, waits in vain
    reply = await bot.client.request(f"ask.{person}.{model.query_name}", request, timeout=30)
    answer = {name: value for name, value in json.loads(reply.data).items() if name not in _ANEW}
    said = json.dumps(answer)
    assert not [word for word in ("zorbifers", "Brambleford", "fact_", "anna") if word in said], said
    return answer


async def _annas_things(bot: Bot) -> dict[str, str]:
    turn = {
        "session_id": _ANNAS["session"],
        "message_id": _ANNAS["message"],
        "text": "Quixeldra keeps zorbifers in Brambleford.",
    }
    said = await bot.send("send.home.anna.user_message", turn)
    told = await bot.send("send.home.anna.remember_fact", {"text": "Quixeldra keeps zorbifers"})
    outcomes = [await bot.ask("ask.home.anna.outcome", {"sequence": each, "timeout_s": 10}) for each in (said, told)]
    context = await bot.ask("ask.home.anna.context", {"query": "zorbifers", "min_position": outcomes[1]["position"]})
    assert context["items"]
    await _until_recalled(bot)
    return {
        "turn": outcomes[0]["memory_id"],
        "fact": outcomes[1]["memory_id"],
        "recall": context["recall_id"],
        **_ANNAS,
    }


async def _until_recalled(bot: Bot) -> None:
    """Until the recall is on record, a moment after its answer."""
    for _ in range(600):
        if all(item["access_count"] for item in await _all_of_anna(bot)):
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the recall was never recorded")


async def _all_of_anna(bot: Bot) -> list[Any]:
    """What she sees of herself."""
    listed = await bot.ask("ask.home.anna.list", {"limit": 100, "status": "all"})
    return list(listed["items"])
