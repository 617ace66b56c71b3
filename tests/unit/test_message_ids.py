"""One message_id stands for one thing, for ever: known from the events alone, whatever the command."""

from collections.abc import Callable

import pytest

from shared.contracts.command import Channel, Command
from shared.contracts.commands import COMMANDS, AddTurns, ImportTurns, Restore
from shared.contracts.conflicts import ConflictAnswered
from shared.contracts.consolidating import MarkSessionConsolidated, ResolveConflict, SaveFactsBatch
from shared.contracts.entities import MergeEntities, UnmergeEntities
from shared.contracts.errors import IdReused, UnknownMemory
from shared.contracts.events import CommandRejected, FactSuperseded
from shared.contracts.feedback import RecordFeedback
from shared.contracts.ids import ConflictId, MemoryId, MessageId, SessionId, Space
from shared.contracts.moving import ImportMemories
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import Forget, StartIncognito
from shared.contracts.sharing import ShareTag, UnshareTag
from shared.contracts.undoing import Undo
from shared.domain.aliases import TypedName
from tests.support.commands import (
    agent_says,
    answer,
    change,
    confirm,
    correct,
    end,
    pin,
    remember,
    restore,
    system_says,
    unpin,
    user_says,
)
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, KEYS
from tests.support.sent import sent

ZOE, MIA, MAX = (TypedName("person", name).id for name in ("zoe", "mia", "max"))


def prepared() -> tuple[PaperLog, MemoryId, MemoryId, MemoryId, ConflictId]:
    """A log with a live fact, a pinned one, one that was superseded, and a question which of two others holds."""
    log = PaperLog()
    for text in ("Anna sings", "Ben rows", "Cleo reads"):
        log.tell(remember(text))
    live, pinned, old = log.state.facts
    log.tell(pin(pinned))
    log.tell(correct(old, "Cleo writes"))
    log.tell(user_says("hi", "s1"))
    log.tell(remember("I met Kelly in May"))
    log.tell(remember("I have never met Kelly"))
    (asked,) = log.state.conflicts
    log.tell(remember("My friend Zoe met my sister Mia and my brother Max"))
    log.tell(MergeEntities(entity_id=MAX, into=MIA))
    log.tell(ShareTag(tag="food", with_space=Space("work")))
    return log, live, pinned, old, asked


def commands(live: str, pinned: str, old: str, asked: str) -> dict[str, Command]:
    """One command of each kind that has an effect on the prepared log."""
    all_of_them: tuple[Command, ...] = (
        user_says("hello", message_id="1"),
        agent_says("hello", message_id="1"),
        system_says("hello", message_id="1"),
        remember("Dora swims", message_id="1"),
        correct(live, "Anna hums", message_id="1"),
        confirm(live, message_id="1"),
        pin(live, message_id="1"),
        unpin(pinned, message_id="1"),
        restore(old, message_id="1"),
        change(PersonSettings(soft_cap=9), message_id="1"),
        end("s1", message_id="1"),
        answer(asked, message_id="1"),
        MergeEntities(entity_id=ZOE, into=MIA, message_id=MessageId("1")),
        UnmergeEntities(entity_id=MAX, message_id=MessageId("1")),
        ShareTag(tag="travel", with_space=Space("work"), message_id=MessageId("1")),
        UnshareTag(tag="food", with_space=Space("work"), message_id=MessageId("1")),
        RecordFeedback(memory_id=MemoryId(live), helped=True, message_id=MessageId("1")),
    )
    return {command.what: command for command in all_of_them}


OF_BOTS = sorted(commands("a", "b", "c", "d"))


@pytest.mark.parametrize("what", OF_BOTS)
def test_the_events_tell_what_the_id_stands_for(what: str) -> None:
    log, *memories = prepared()
    command = commands(*memories)[what]
    log.tell(command)
    identity = KEYS.digester.command_id(ANNAS_SCOPE, what, "1")
    assert command.content is not None
    assert log.state.seen[identity].content == KEYS.digester.digest("content", command.content)
    assert log.tell(command) == []


def test_every_command_of_bots_has_a_content_but_those_whose_turns_have() -> None:
    contents = {what for what in COMMANDS if COMMANDS[what].channel is Channel.SEND}
    contents -= {AddTurns.what, ImportTurns.what, ImportMemories.what}
    contents -= {
        "save_facts_batch",
        "mark_session_consolidated",
        "resolve_conflict",
        "undo",
        "redo",
        "take_back",
    }  # the first with an id counts
    assert contents - {"forget", "forget_user", "edit_message", "start_incognito", "end_incognito"} == set(OF_BOTS)


def test_a_fact_that_repeats_another_stands_for_its_words_too() -> None:
    log, live, *_ = prepared()
    command = remember("anna sings!", message_id="r1")
    assert log.tell(command)[0].data.memory_id == live  # type: ignore[attr-defined]
    seen = log.state.seen[KEYS.digester.command_id(ANNAS_SCOPE, "remember_fact", "r1")]
    assert seen.content == KEYS.digester.digest("content", "anna sings!")
    assert seen.memory_id == live


def test_a_fact_that_answers_a_question_stands_for_its_words_still() -> None:
    log = PaperLog()
    log.tell(remember("I live in Leeds"))
    log.tell(remember("I live in York"))
    log.tell(Restore(memory_id=next(iter(log.state.facts))))
    (asked,) = log.state.conflicts
    command = remember("I live in Bath now", message_id="r1")
    log.tell(command)
    assert not log.state.conflicts[asked].is_pending
    assert log.tell(command) == []


def test_facts_of_which_one_stands_in_the_place_of_another_answer_a_question_once() -> None:
    log = PaperLog()
    log.tell(remember("I met Kelly in May"))
    log.tell(remember("I have never met Kelly"))
    older, newer = log.state.facts
    command = ResolveConflict(memory_id=older, superseded_by=newer, message_id=MessageId("r1"))
    assert [type(event.data) for event in log.tell(command)] == [FactSuperseded, ConflictAnswered]
    assert log.tell(command) == []


OTHERS: dict[str, Callable[[str, str], Command]] = {
    "undo": lambda fact, _: Undo(memory_id=MemoryId(fact), message_id=MessageId("1")),
    "resolve_conflict": lambda fact, other: ResolveConflict(
        memory_id=MemoryId(fact), superseded_by=MemoryId(other), message_id=MessageId("1")
    ),
    "forget": lambda fact, _: Forget(memory_ids=(MemoryId(fact),), message_id=MessageId("1")),
    "forget a session": lambda session, _: Forget(session_id=SessionId(session), message_id=MessageId("1")),
    "start_incognito": lambda fact, _: StartIncognito(session_id=SessionId(fact), message_id=MessageId("1")),
    "save_facts_batch": lambda turn, deed: _citing(deed, turn),
    "mark_session_consolidated": lambda fact, _: MarkSessionConsolidated(session_id=SessionId(fact), message_id=MessageId("1")),
}


@pytest.mark.parametrize("what", OTHERS)
def test_an_id_that_comes_with_another_aim_is_refused_and_the_same_again_changes_nothing(what: str) -> None:
    log = PaperLog()
    names = {}
    for name in ("Anna sings", "Ben rows", "Cleo reads", "Dora swims"):
        names[name] = log.tell(remember(name))[0].data.subject or ""
        log.tell(user_says(f"I row boats number {names[name]}.", names[name]))
    log.tell(user_says("I row boats and I sing in a choir.", "s1"))
    turn = next(event.data.subject for event in reversed(log.events) if event.type == "episode_recorded")
    one, other, third, fourth = names.values()
    if what == "save_facts_batch":
        one, other, third, fourth = str(turn), "rows boats", str(turn), "sings in a choir"
    first, second = OTHERS[what](one, other), OTHERS[what](third, fourth)
    assert log.tell(first)
    assert log.tell(first) == []
    with pytest.raises(IdReused):
        log.tell(second)
    assert log.tell(second.model_copy(update={"message_id": MessageId("2")}))


def _citing(deed: str, turn: str) -> SaveFactsBatch:
    facts = [{"text": f"The user {deed}.", "source_ids": [turn]}]
    return SaveFactsBatch.model_validate({"session_id": "s1", "message_id": "1", "facts": facts})


def test_a_refused_command_is_known_by_its_id_but_may_come_again() -> None:
    log = PaperLog()
    command = pin("fact_000000000000000000000000", message_id="p1")
    log.refuse(command, UnknownMemory())
    (event,) = log.events
    assert isinstance(event.data, CommandRejected)
    assert event.data.command_id == KEYS.digester.command_id(ANNAS_SCOPE, "pin", "p1")
    assert not log.state.seen


def test_a_command_without_an_id_is_named_after_its_message() -> None:
    message = sent(remember())
    assert message.command_id(remember()) == message.delivery_id
    assert message.command_id(remember(message_id="1")) != message.delivery_id
