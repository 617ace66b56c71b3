"""After "forget Zorvanda" no command brings the name back beside its words; a person who says it again decides."""

from __future__ import annotations

from functools import partial

import pytest

from shared.contracts.ageing import SaveRollup
from shared.contracts.command import Command
from shared.contracts.commands import AddedTurn, AddTurns, AttachEntities, ConfirmFact, CorrectFact, RememberFact, Restore
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Forgotten, NoEvidence, UnknownMemory
from shared.contracts.events import EpisodeRecorded
from shared.contracts.feedback import RecordFeedback
from shared.contracts.ids import MemoryId, MessageId, RecallId, SessionId, Space
from shared.contracts.parts import Entity, Origin, Role
from shared.contracts.privacy import Forget, TombstoneLifted
from shared.contracts.reflecting import SaveReflection
from shared.contracts.sharing import ShareTag
from tests.support.commands import remember, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import T0
from tests.unit.test_forgotten_stays_away import SOON, STAYING, YEARS, ZORVANDA, batch

NAME = "zorvanda"
FORGOTTEN = "Zorvanda has a boat."
TITLE, ID = SessionId("zorvanda-birthday"), MessageId("zorvanda-1")
MADE = Origin(extractor="rules/1", run_id="r1")
ENTITY = Entity(name="Zorvanda", type="person", start=0, end=8, confidence=0.9)


class Forgetful:
    """A log in which what was said of Zorvanda, and a fact about her, were forgotten; a fact and turns stayed."""

    def __init__(self) -> None:
        self.log = PaperLog()
        made = [self._memory(self.log.tell(user_says(text))) for text in STAYING]
        self.turn, self.other = made[:2]
        self.fact = self._memory(self.log.tell(remember("Anna likes oolong tea")))
        self.forgotten = self._memory(self.log.tell(remember(FORGOTTEN)))
        self.log.tell(user_says(ZORVANDA))
        self.log.tell(Forget(query="Zorvanda"))
        self.log.erase()

    @staticmethod
    def _memory(events: list[Envelope]) -> MemoryId:
        return next(event.data.subject for event in events if event.data.makes and event.data.subject)

    def tell(self, command: Command, *, later: bool = False) -> list[Envelope]:
        return self.log.tell(command, now=YEARS if later else SOON)


def beside_the_words(log: Forgetful) -> list[Command]:
    """What is recorded, but without the name."""
    return [
        RememberFact(text="Anna likes jazz", session_id=TITLE),
        RememberFact(text="Anna likes swing", message_id=ID),
        RememberFact(text="Anna likes blues", source_ids=("zorvanda-says",), tags=("zorvanda", "music")),
        CorrectFact(memory_id=log.fact, text="Anna likes tea", session_id=TITLE, message_id=ID, tags=("zorvanda",)),
        RecordFeedback(memory_id=log.turn, helped=True, recall_id=RecallId(ID), message_id=ID),
        AttachEntities(memory_id=log.turn, method="m/1", entities=(ENTITY,), tags=("zorvanda",), metadata_confidence=0.9),
        SaveReflection(
            text="- Anna bakes in Leeds.\n- Zorvanda, her sister, must not eat walnuts.",
            source_ids=(log.turn,),
            made_by=MADE,
            occurred_at=SOON,
        ),
    ]


@pytest.mark.parametrize("later", [False, True])
def test_beside_its_words_nothing_that_is_recorded_names_it(*, later: bool) -> None:
    log = Forgetful()
    for command in beside_the_words(log):
        events = log.tell(command, later=later)
        assert events, command
        assert not [event for event in events if NAME in event.model_dump_json().lower()], command


def test_a_finding_from_which_it_is_left_out_counts_once() -> None:
    log, leeds = Forgetful(), Entity(name="Leeds", type="place", start=9, end=14, confidence=0.9)
    found = AttachEntities(memory_id=log.turn, method="m/1", entities=(ENTITY, leeds), tags=(), metadata_confidence=0.9)
    assert log.tell(found)
    assert not log.tell(found)


def refused(log: Forgetful) -> list[tuple[Command, type[Exception]]]:
    """What is not recorded at all."""
    ids = (log.turn, log.other)
    roll_up = partial(SaveRollup, source_ids=ids, first_at=T0, last_at=T0, origin=MADE)
    return [
        (SaveReflection(text="Zorvanda has a boat.", source_ids=ids, made_by=MADE, occurred_at=SOON), Forgotten),
        (roll_up(text="Anna's sister Zorvanda is allergic."), Forgotten),
        (roll_up(text="Anna bakes, Tom plays chess.", tags=("zorvanda",)), Forgotten),
        (AddTurns(session_id=SessionId("s1"), turns=(AddedTurn(role=Role.ASSISTANT, text=FORGOTTEN),)), Forgotten),
        (ShareTag(tag="zorvanda", with_space=Space("work")), Forgotten),
        (batch(log.turn, "The user's sister Zorvanda avoids walnuts"), NoEvidence),
        (CorrectFact(memory_id=log.forgotten, text="Anna has a boat"), UnknownMemory),
        (ConfirmFact(memory_id=log.forgotten), UnknownMemory),
        (Restore(memory_id=log.forgotten), UnknownMemory),
        (RecordFeedback(memory_id=log.forgotten, helped=True), UnknownMemory),
    ]


@pytest.mark.parametrize("later", [False, True])
def test_what_others_make_of_it_is_refused(*, later: bool) -> None:
    log = Forgetful()
    for command, error in refused(log):
        with pytest.raises(error):
            log.tell(command, later=later)


def test_an_edit_by_its_person_brings_it_back_and_says_so() -> None:
    log = Forgetful()
    events = log.tell(CorrectFact(memory_id=log.fact, text="Zorvanda likes oolong tea"))
    assert {event.data.by for event in events if isinstance(event.data, TombstoneLifted)} == {"saved_by_hand"}
    [turn] = [e.data for e in log.tell(user_says("Zorvanda is here.")) if isinstance(e.data, EpisodeRecorded)]
    assert not turn.held_back


def test_a_session_that_began_before_is_still_named_by_what_is_saved_in_it() -> None:
    log = PaperLog()
    log.tell(user_says(ZORVANDA, TITLE))
    log.tell(Forget(query="Zorvanda"))
    [event] = [each for each in log.tell(RememberFact(text="Anna likes jazz", session_id=TITLE)) if each.data.makes]
    assert getattr(event.data, "session_id", None) == TITLE
