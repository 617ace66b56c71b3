import pytest

from services.ingest.command_group import CommandGroup, Decided, batches, read
from services.ingest.domain.decide import decide
from services.ingest.domain.state import Fold, ScopeState
from shared.contracts.command import Command
from shared.contracts.commands import ImportTurns, Turn
from shared.contracts.envelope import Envelope
from shared.contracts.errors import IdReused
from shared.contracts.parts import Role
from tests.support.commands import agent_says, import_of, turn, user_says
from tests.support.paper import PaperLog
from tests.support.rules import episode
from tests.support.scopes import ANNAS_SCOPE, KEYS, at
from tests.support.sent import sent

CHAT: list[Turn] = [
    turn(f"turn {number}", f"s{number // 4}", role=list(Role)[number % 3], message_id=f"m{number}", occurred_at=at(number))
    for number in range(24)
]


def told_live(turns: list[Turn]) -> PaperLog:
    log = PaperLog()
    for live in turns:
        log.tell(live)
    return log


def what_was_said(events: list[Envelope]) -> list[dict[str, object]]:
    """The events without what is the message's own: the import is one message, the live turns are many, and it is marked."""
    return [event.model_dump(exclude={"correlation_id": True, "recorded_at": True, "data": {"imported"}}) for event in events]


def test_an_import_makes_the_same_events_as_the_live_turns() -> None:
    log = PaperLog()
    log.tell(import_of(CHAT))
    assert what_was_said(log.events) == what_was_said(told_live(CHAT).events)


def test_importing_what_was_sent_live_changes_nothing() -> None:
    log = told_live(CHAT)
    assert log.tell(import_of(CHAT)) == []


def test_sending_live_what_was_imported_changes_nothing() -> None:
    log = PaperLog()
    log.tell(import_of(CHAT))
    assert [log.tell(live) for live in CHAT] == [[]] * len(CHAT)


def test_an_import_in_two_halves_that_overlap_makes_the_same_events() -> None:
    log = PaperLog()
    log.tell(import_of(CHAT[:15]))
    log.tell(import_of(CHAT[9:]))
    assert what_was_said(log.events) == what_was_said(told_live(CHAT).events)


def test_a_named_import_without_ids_of_turns_is_recorded_once() -> None:
    nameless = import_of([user_says("one"), agent_says("two"), user_says("one")], message_id="i1")
    log = PaperLog()
    assert len(log.tell(nameless)) == 4
    assert log.tell(nameless) == []


def test_a_turn_that_is_twice_in_an_import_is_recorded_once() -> None:
    log = PaperLog()
    log.tell(import_of([user_says("one", message_id="m1"), user_says("one", message_id="m1")]))
    assert [event.type for event in log.events] == ["session_started", "episode_recorded"]


def test_an_import_with_one_reused_id_records_nothing_and_names_the_turn() -> None:
    log = PaperLog()
    with pytest.raises(IdReused, match=r"turns\.1: .*Nothing of these turns was recorded"):
        log.tell(import_of([user_says("one", message_id="m1"), user_says("two", message_id="m1")]))
    assert log.events == []


def test_all_events_of_an_import_belong_together() -> None:
    log = PaperLog()
    log.tell(import_of(CHAT))
    assert len({event.correlation_id for event in log.events}) == 1
    assert len({event.event_id for event in log.events}) == len(log.events)


def everything(command: ImportTurns) -> list[Envelope]:
    message = sent(command)
    return decide(command, ScopeState(), message.circumstances(command)).events


def decided_on(command: Command, state: ScopeState) -> Decided:
    message = sent(command, sequence=2000)
    group = CommandGroup([read(message)])
    group.decide({message.scope: state})
    [decided] = group.decided
    return decided


def after_a_kill(command: Command, state: ScopeState) -> tuple[list[Envelope], list[Envelope]]:
    """The first atomic append of a command, and what is decided when the command is delivered again."""
    first = [packed.event for packed in next(batches([decided_on(command, state)]))]
    fold = Fold(state)
    for position, event in enumerate(first, start=state.position + 1):
        fold.add(event, position=position, digester=KEYS.digester)
    again = decided_on(command, fold.state)
    assert again.refusal is None
    return first, list(again.events)


@pytest.mark.parametrize("said", range(len(CHAT) + 1))
def test_an_import_that_was_appended_up_to_some_turn_goes_on_after_it(said: int) -> None:
    whole = everything(import_of(CHAT, message_id="i1"))
    log = told_live(CHAT[:said])
    log.tell(import_of(CHAT, message_id="i1"))
    assert what_was_said(log.events) == what_was_said(whole)


def test_the_largest_import_survives_a_kill_between_its_two_appends() -> None:
    """1,499 events, of which the server takes 1,000 at once."""
    turns = [user_says("x", f"s{number}", message_id=f"m{number}", occurred_at=at(number)) for number in range(500)]
    command = import_of(turns, message_id="i1")
    first, rest = after_a_kill(command, ScopeState())
    whole = decided_on(command, ScopeState())
    assert len(whole.events) == 1499
    assert first + rest == whole.events


def test_a_turn_and_all_that_it_does_to_sessions_fit_into_one_append() -> None:
    log = PaperLog()
    for letter in "st":
        log.tell(import_of([agent_says("welcome", f"{letter}{number}") for number in range(500)]))
    state = log.states[ANNAS_SCOPE]
    first, rest = after_a_kill(user_says("hello", "new", message_id="m1"), state)
    assert first[-1].type == "episode_recorded"
    assert rest == []


def test_sessions_that_were_too_many_for_one_switch_are_completed_by_the_next() -> None:
    log = PaperLog()
    for letter in "st":
        log.tell(import_of([agent_says("welcome", f"{letter}{number}") for number in range(500)]))
    for session in ("new", "newer", "newest"):
        log.tell(user_says("hello", session))
    assert set(log.states[ANNAS_SCOPE].open_sessions) == {"newest"}
    assert [event.type for event in log.events].count("session_completed") == 1002


def test_all_sessions_and_commands_of_an_import_are_looked_up_at_once() -> None:
    message = sent(import_of(CHAT))
    (needs,) = CommandGroup([read(message)]).needs.values()
    assert needs.sessions == {live.session_id for live in CHAT}
    digester = KEYS.digester
    for live in CHAT:
        assert digester.command_id(message.scope, live.what, live.message_id or "") in needs.commands


def test_an_imported_turn_is_the_episode_that_it_would_be_live_and_is_marked() -> None:
    *_, event = everything(import_of([user_says("I met @ben", message_id="m1")]))
    expected = episode("I met @ben", message_id="m1")
    assert event.data == expected.model_copy(update={"memory_id": event.data.subject, "imported": True})
