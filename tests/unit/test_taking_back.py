"""What was forgotten in chat is hidden at once, and can be taken back until it is erased."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from nats.aio.client import Client

from services.consolidator.store import ConsolidatorStore
from services.ingest import grace
from services.ingest.command_group import CommandGroup, ReadMessage
from services.ingest.domain.private import FORGOTTEN_BEFORE, JUST_FORGOTTEN
from services.ingest.grace import GraceTimes
from services.ingest.open_forgettings import unfinished
from services.ingest.own_events import OwnEvents
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from shared.contracts.commands import EndSession
from shared.contracts.envelope import Envelope
from shared.contracts.errors import NothingWaits
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import MessageId, Scope, SessionId, Slot
from shared.contracts.privacy import (
    ChatCommandRead,
    Forget,
    ForgettingTakenBack,
    ForgetUser,
    GraceEnded,
    MemoryForgotten,
    TakeBack,
    UserForgotten,
)
from shared.contracts.subjects import SLOTS
from shared.language.commands.reading import read_answer, read_chat_command, read_taking_back
from shared.runtime.comparing import is_settled
from shared.runtime.projector import Recorded
from tests.support.commands import agent_says, remember, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, ANNAS_SLOT, KEYS, SEND_ID, T0, FixedClock
from tests.support.sent import sent

SAID = "My sister Quixeldra keeps zorbifers."
TEN_MINUTES = timedelta(minutes=10)


@pytest.fixture
def log() -> PaperLog:
    """Something was said, and forgotten in chat."""
    log = PaperLog()
    log.tell(user_says("I live in Leeds."))
    log.tell(user_says(SAID))
    log.tell(user_says("Forget that."))
    return log


def read(events: Sequence[Envelope]) -> tuple[str, str] | None:
    found = [(event.data.command, event.data.outcome) for event in events if isinstance(event.data, ChatCommandRead)]
    return found[0] if found else None


def known(log: PaperLog) -> list[str]:
    return [text for told in log.words().told.values() for text in told.texts]


def test_a_chat_command_hides_at_once_and_says_until_when_it_can_be_taken_back(log: PaperLog) -> None:
    [forgotten] = [event.data for event in log.events if isinstance(event.data, MemoryForgotten)]
    [told] = [event.data for event in log.events if isinstance(event.data, ChatCommandRead)]
    assert (forgotten.erase_at, told.erase_at) == (T0 + TEN_MINUTES, T0 + TEN_MINUTES)
    assert told.forgetting == log.events[-2].number
    assert known(log) == ["I live in Leeds."]
    assert not unfinished(log.records)  # the eraser leaves it alone


@pytest.mark.parametrize("text", ["Forget that right now.", "Please forget that for good", "Immediately forget that!"])
def test_right_now_does_not_wait(text: str) -> None:
    log = PaperLog()
    log.tell(user_says(SAID))
    log.tell(user_says(text))
    assert [each.size for each in unfinished(log.records)] == [1]
    with pytest.raises(NothingWaits):
        log.tell(TakeBack())


@pytest.mark.parametrize("asks", ["Forget everything about Quixeldra right now.", "Forget everything about Quixeldra."])
def test_a_question_keeps_whether_it_is_to_be_at_once(asks: str) -> None:
    log = PaperLog()
    for text in ("Quixeldra is my sister.", "Quixeldra was born in Oslo."):
        log.tell(user_says(text))
    assert read(log.tell(user_says(asks))) == ("forget_about", "asked_back")
    assert set(known(log)) >= {"Quixeldra is my sister.", "Quixeldra was born in Oslo."}
    log.tell(user_says("yes" if "right now" in asks else "Yes, right now!"))
    assert not known(log)
    assert unfinished(log.records)


TAKEN_BACK = [
    *("undo that", "No wait, bring it back!", "I didn't mean to delete that", "oops, restore it", "keep it after all"),
    *("no, keep it", "Oops! I did not mean that. Bring it back.", "sorry, that was a mistake", "could you undo that?"),
    *(
        "noooo wait put it back",
        "Nooo, keep it!",
        "restore what i had you delete earlier",
        "bring back what you deleted earlier",
    ),
    *("hmm, changed my mind", "Can I have that back please?", "please don't forget it", "Bring back what you just forgot."),
]


@pytest.mark.parametrize("text", TAKEN_BACK)
def test_a_person_takes_it_back_in_their_own_words(log: PaperLog, text: str) -> None:
    log.tell(agent_says("I have forgotten that."))
    events = log.tell(user_says(text))
    assert read(events) == ("take_back", "done")
    assert not [event for event in events if isinstance(event.data, EpisodeRecorded)]
    assert SAID in known(log)


LOOK_ALIKES = [
    *("bring it back to the shop", "undo the last commit", "Restore the database", "keep it simple", "I want my money back"),
    *(
        "put it back on the shelf",
        "get it back to me by Monday",
        "It was a mistake to marry him",
        "thanks",
        "what's for lunch?",
    ),
    *("Don't forget it is Monday", "How do I undo that in Word?", "She said: bring it back"),
]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_is_talk(log: PaperLog, text: str) -> None:
    assert read(log.tell(user_says(text))) is None
    assert SAID not in known(log)


@pytest.mark.parametrize("text", TAKEN_BACK)
def test_where_nothing_was_forgotten_it_is_talk(text: str) -> None:
    log = PaperLog()
    log.tell(user_says(SAID))
    found = read(log.tell(user_says(text)))
    assert found is None or found[0] != "take_back"
    assert SAID in known(log)


def test_what_means_little_by_itself_is_asked_about_after_other_talk(log: PaperLog) -> None:
    log.tell(user_says("Let us rename the function."))
    assert read(log.tell(user_says("Undo that."))) == ("take_back", "asked_back")
    assert SAID not in known(log)
    assert read(log.tell(user_says("Yes"))) == ("take_back", "done")
    assert SAID in known(log)


def test_a_no_leaves_it_forgotten(log: PaperLog) -> None:
    log.tell(user_says("Let us rename the function."))
    log.tell(user_says("Undo that."))
    assert read(log.tell(user_says("No"))) == ("take_back", "declined")
    assert SAID not in known(log)


def test_in_another_session_only_what_says_so_is_understood(log: PaperLog) -> None:
    assert read(log.tell(user_says("Undo that.", "s2"))) != ("take_back", "done")
    assert SAID not in known(log)
    assert read(log.tell(user_says("Bring back what you forgot.", "s2"))) == ("take_back", "done")


def test_after_the_time_it_is_said_to_be_gone_and_later_on_it_is_talk(log: PaperLog) -> None:
    log.end_graces()
    assert read(log.tell(user_says("Undo that."))) == ("take_back", "nothing_found")
    assert read(log.tell(user_says("Bring it back."))) is None
    with pytest.raises(NothingWaits):
        log.tell(TakeBack())
    log.erase()
    assert SAID not in "".join(event.encode().decode() for event in log.events)


def test_german_takes_back_as_well() -> None:
    both = ("en", "de")
    for text in (
        "Nimm das zurück",
        "Das war ein Versehen, stell es wieder her!",
        "Mach das bitte rückgängig",
        "Behalt es doch",
    ):
        assert (found := read_taking_back(text, languages=both))
        assert (found.language, found.is_sure) == ("de", True)
    assert read_taking_back("Bring das Buch zurück in die Bibliothek", languages=both) is None
    assert (found := read_chat_command("Vergiss alles über Bob sofort", languages=both))
    assert (found.at_once, found.topic) == (True, "Bob")


@pytest.mark.parametrize(
    ("text", "at_once"),
    [
        ("Forget what I said about Bob immediately, please", True),
        ("Permanently delete what I said about Bob", True),
        ("forget what I said about Bob, now!", True),
        ("Forget this chat for good", True),
        ("forget what i said about Bogdan for good", True),
        ("Forget about Bello for good.", True),
        ("forget my address forever please", True),
        ("Forget what I said about leaving him for good", False),
        ("Forget what I said about Bob now", False),
        ("now forget that", False),
        ("I live in Leeds now. Forget that.", False),
        ("Forget what I said about the job I have now", False),
        ("Forget what I said about moving to Leeds for good", False),
        ("Forget what I said about the budget, it's 500 now.", False),
    ],
)
def test_now_means_at_once_only_where_it_says_when_to_forget(text: str, *, at_once: bool) -> None:
    found = read_chat_command(text)
    assert found is not None
    assert found.at_once is at_once


def test_an_answer_may_say_it_too() -> None:
    assert (found := read_answer("Yes, right now."))
    assert found.at_once


def test_what_came_back_is_learned_from_and_recalled_as_before(log: PaperLog) -> None:
    before = log.state.privacy.tombstones
    log.tell(TakeBack())
    assert before
    assert not log.state.privacy.tombstones
    [said] = [
        event.data for event in log.tell(user_says("Quixeldra keeps zorbifers.")) if isinstance(event.data, EpisodeRecorded)
    ]
    assert not said.held_back


def test_the_last_one_comes_back_first_and_any_by_its_number() -> None:
    log = PaperLog()
    numbers = []
    for text in ("I row boats.", "I sing in Leeds.", "I keep zorbifers."):
        log.tell(user_says(text))
        numbers.append(
            next(e.data.forgetting for e in log.tell(user_says("Forget that.")) if isinstance(e.data, ChatCommandRead))
        )
    log.tell(TakeBack(number=numbers[0]))
    assert known(log) == ["I row boats."]
    log.tell(user_says("Undo that."))
    assert known(log) == ["I row boats.", "I keep zorbifers."]
    assert read(log.tell(user_says("Undo that."))) == ("take_back", "asked_back")


def test_a_command_that_is_sent_again_takes_nothing_else_back() -> None:
    log = PaperLog()
    for text in ("I row boats.", "I keep zorbifers."):
        log.tell(user_says(text))
        log.tell(user_says("Forget that."))
    command = TakeBack(message_id=MessageId("t1"))
    assert log.tell(command)
    assert log.tell(command) == []
    assert known(log) == ["I keep zorbifers."]


@pytest.mark.parametrize(
    "command", [Forget(query="zorbifers"), ForgetUser(), user_says("Forget what I said about Quixeldra, now!")]
)
def test_whoever_wants_it_gone_at_once_means_what_waits_as_well(log: PaperLog, command: Forget | ForgetUser) -> None:
    assert log.tell(command)
    assert unfinished(log.records)
    with pytest.raises(NothingWaits):
        log.tell(TakeBack())
    log.erase()
    assert "zorbifers" not in "".join(event.encode().decode() for event in log.events)


def test_what_was_erased_otherwise_meanwhile_does_not_come_back_with_the_rest() -> None:
    log = PaperLog()
    for text in ("I row boats.", SAID):
        log.tell(user_says(text))
    log.tell(user_says("Forget this chat."))
    log.tell(Forget(query="zorbifers"))
    log.erase()
    log.tell(TakeBack())
    assert known(log) == ["I row boats."]
    assert log.state.privacy == log.rebuilt().privacy


def test_a_second_forget_meanwhile_changes_nothing(log: PaperLog) -> None:
    assert read(log.tell(user_says("Forget what I said about zorbifers."))) == ("forget_about", "nothing_found")
    log.tell(TakeBack())
    assert SAID in known(log)


def test_everything_about_a_person_is_asked_about_and_does_not_wait(log: PaperLog) -> None:
    log.tell(user_says("Forget everything about me."))
    assert any(isinstance(event.data, UserForgotten) for event in log.tell(user_says("Yes.")))
    with pytest.raises(NothingWaits):
        log.tell(TakeBack())


def test_an_offer_lasts_while_others_talk_and_fades_with_the_next_turn(log: PaperLog) -> None:
    questions = [log.state.privacy.questions[SessionId("s1")].command]
    for said in (agent_says("Done."), user_says("What's for lunch?")):
        log.tell(said)
        questions.append(log.state.privacy.questions[SessionId("s1")].command)
    assert questions == [JUST_FORGOTTEN, JUST_FORGOTTEN, FORGOTTEN_BEFORE]


def test_what_follows_in_a_group_waits_until_the_rows_are_made_anew(log: PaperLog) -> None:
    told = [
        sent(command, sequence=100 + n)
        for n, command in enumerate((TakeBack(), remember("I like tea."), EndSession(session_id=SessionId("s1"))))
    ]
    group = CommandGroup([ReadMessage(message, message.command()) for message in told])
    group.decide({ANNAS_SCOPE: log.state})
    assert [type(event.data) for result in group.decided for event in result.events] == [ForgettingTakenBack]
    assert [item.sent for item in group.left] == told[1:]


def test_what_waits_can_be_compared_with_the_log_and_what_is_taken_back_once_it_is_seen(log: PaperLog) -> None:
    assert is_settled(log.records, log.state.number)
    log.tell(TakeBack())
    assert not is_settled(log.records, log.state.number - 1)
    assert is_settled(log.records, log.state.number)


def test_the_consolidator_leaves_out_what_is_hidden_and_learns_from_what_came_back(tmp_path: Path) -> None:
    log = PaperLog()
    store = ConsolidatorStore(tmp_path, KEYS.digester)
    for command in (user_says(SAID), user_says("Forget that."), EndSession(session_id=SessionId("s1"))):
        log.tell(command)
    store.apply(log.records, log.records[-1].position)
    [pending] = store.pending()
    assert store.turns(pending) == []
    before = len(log.records)
    log.tell(TakeBack())
    store.apply(log.records[before:], log.records[-1].position)
    assert store.begin_scope_rebuild(ANNAS_SCOPE)
    store.rebuild_scope(ANNAS_SCOPE, log.settled())
    assert [number for number, _ in store.turns(pending)] == [2]
    store.close()


class _Lane:
    """Appends to a paper log, as a lane appends to the real one."""

    def __init__(self, log: PaperLog, clock: FixedClock) -> None:
        self.log = log
        self.clock = clock
        self.decided_to = 0

    @property
    def decided(self) -> dict[Slot, int]:
        return {ANNAS_SLOT: self.decided_to}

    def has_decided(self, _scope: Scope, _slot: Slot, sequence: int) -> bool:
        return sequence <= self.decided_to

    async def catch_up(self) -> None: ...

    async def record(self, _: Scope, __: Slot, make: OwnEvents, known: Sequence[Recorded] = ()) -> None:
        assert not known
        self.log.append(make(self.log.state, self.clock.now()))


async def test_a_grace_ends_by_itself_when_its_time_is_over_and_all_that_came_in_time_is_decided(
    log: PaperLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after a start: nothing is kept but in the log."""
    clock = FixedClock(T0 + TEN_MINUTES - timedelta(seconds=1))
    lane, store = _Lane(log, clock), Store(tmp_path, KEYS.digester)
    _follow(store, log)

    async def last_sequence(_: Client, __: Slot) -> int:
        return 7

    async def read_scope(_: Client, __: Scope, *, slot: Slot) -> list[Recorded]:
        assert slot == ANNAS_SLOT
        return log.settled()

    monkeypatch.setattr(grace, "last_sequence", last_sequence)
    monkeypatch.setattr(grace, "read_scope", read_scope)

    def times() -> GraceTimes:
        return GraceTimes(client=Client(), store=store, lanes={ANNAS_SLOT: lane}, clock=clock)

    lane.decided_to = 7
    await times().end_due()
    assert not unfinished(log.records)
    clock.advance(1 / 60)
    lane.decided_to = 6
    await times().end_due()
    assert not unfinished(log.records)
    lane.decided_to = 7
    await times().end_due()
    assert isinstance(log.events[-1].data, GraceEnded)
    assert len(unfinished(log.records)) == 1
    _follow(store, log)
    await times().end_due()
    assert sum(isinstance(event.data, GraceEnded) for event in log.events) == 1
    assert not store.waiting()
    assert store.to_erase() == [(ANNAS_SCOPE, ANNAS_SLOT)]
    store.close()


def _follow(store: Store, log: PaperLog) -> None:
    slots = [Slot(slot) for slot in range(SLOTS)]
    records = [record._replace(slot=ANNAS_SLOT) for record in log.records]
    IngestProjection(store, KEYS.digester, slots=slots, send_id=SEND_ID).apply(records, records[-1].position)
