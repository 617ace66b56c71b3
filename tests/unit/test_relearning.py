"""A session is learned from anew: what its rules had told otherwise ends, all else stays, and one undo takes it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from services.ingest.domain.claims import unpacked
from services.ingest.domain.conflicts import doubt
from services.ingest.domain.memories import Status
from services.ingest.reports import IngestPartReports, IngestReports
from shared.contracts.command import Command
from shared.contracts.commands import ExtractedFact, SaveFacts
from shared.contracts.events import FactOutdated, FactRemembered, MemoryRepeated, SessionConsolidated
from shared.contracts.ids import MemoryId
from shared.contracts.parts import FactSlot, Origin
from shared.contracts.privacy import Forget
from tests.support.commands import cap, confirm, correct, extracted, page, pin, redo, restore, undo, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import at

SAID = "Based on my experience I live in Bergen, and my cat Tom sings."
BERGEN = FactSlot(subject="user", attribute="home", value="bergen")
LEEDS = FactSlot(subject="user", attribute="home", value="leeds")


class Talk:
    """Two sessions of Anna's, each of one turn, and what is learned from them."""

    def __init__(self) -> None:
        self.log = PaperLog()
        self.turns = {}
        for session, text in {"s1": "I live in Leeds and work as a baker.", "s2": SAID}.items():
            [*_, said] = self.log.tell(user_says(text, session, message_id=session))
            self.turns[session] = str(said.data.subject)

    def fact(self, text: str, *slots: FactSlot, session: str = "s2", minute: int = 0) -> ExtractedFact:
        found = extracted(text, source=self.turns[session], occurred_at=at(minute))
        return found.model_copy(update={"slots": slots, "is_whole": bool(slots)})

    def learn(self, *facts: ExtractedFact, session: str = "s2", run: str = "old", extractor: str = "rules/1") -> list[MemoryId]:
        """Learn for the first time; return the facts that are new."""
        return self._tell(facts, session, run, extractor)

    def relearn(self, *facts: ExtractedFact, session: str = "s2", run: str = "new", through_number: int = 99) -> list[MemoryId]:
        """Learn anew; return the facts that are new."""
        return self._tell(facts, session, run, "rules/2", is_relearned=True, through_number=through_number)

    def _tell(self, facts: tuple[ExtractedFact, ...], session: str, run: str, extractor: str, **more: object) -> list[MemoryId]:
        origin = Origin(extractor=extractor, run_id=run)
        said = page(*facts, session=session, is_last=True).model_dump() | {
            "origin": origin,
            "message_id": f"{run}/{session}",
            "through_number": 99,
        }
        events = self.log.tell(SaveFacts.model_validate(said | more))
        return [event.data.memory_id for event in events if isinstance(event.data, FactRemembered)]

    def status(self, memory_id: MemoryId) -> Status:
        return self.log.state.memories[memory_id].status

    @property
    def known(self) -> dict[str, object]:
        """Everything about facts that may differ."""
        state = self.log.state
        return {
            each: (state.memories[each].status, state.memories[each].pinned, fact.repeat_count, fact.superseded_by, fact.claims)
            for each, fact in state.facts.items()
        }


@pytest.fixture
def talk() -> Talk:
    return Talk()


def test_what_is_told_in_the_same_words_with_the_same_slots_leads_to_nothing(talk: Talk) -> None:
    told = (talk.fact("I live in Bergen", BERGEN), talk.fact("My cat Tom sings"))
    talk.learn(*told)
    before = len(talk.log.events)
    assert talk.relearn(*told) == []
    assert len(talk.log.events) == before


def test_what_is_told_otherwise_ends_and_what_is_told_no_more(talk: Talk) -> None:
    words, gone, same = talk.learn(talk.fact("I live in Bergen"), talk.fact("Experience sings"), talk.fact("Tom sings"))
    [new] = talk.relearn(talk.fact("Based on my experience I live in Bergen"), talk.fact("Tom sings"))
    assert [talk.status(each) for each in (words, gone, same, new)] == [
        Status.RETIRED,
        Status.RETIRED,
        Status.LIVE,
        Status.LIVE,
    ]
    assert talk.log.state.facts[same].repeat_count == 0


def test_a_fact_that_loses_its_slots_is_another_one_in_the_same_words(talk: Talk) -> None:
    [old] = talk.learn(talk.fact("Based on my experience I live in Bergen", BERGEN))
    [new] = talk.relearn(talk.fact("Based on my experience I live in Bergen"))
    assert (talk.status(old), talk.status(new)) == (Status.RETIRED, Status.LIVE)
    fact = talk.log.state.facts[new]
    assert (unpacked(fact.claims).stated, fact.repeat_count) == ((), 0)


def test_what_an_old_fact_had_ended_holds_again_unless_the_new_one_ends_it(talk: Talk) -> None:
    [leeds] = talk.learn(talk.fact("I live in Leeds", LEEDS, session="s1"), session="s1", run="first")
    [bergen] = talk.learn(talk.fact("I live in Bergen", BERGEN, minute=5))
    assert talk.status(leeds) is Status.SUPERSEDED
    talk.relearn(talk.fact("Based on my experience I live in Bergen", minute=5))
    assert (talk.status(leeds), talk.status(bergen)) == (Status.LIVE, Status.RETIRED)
    talk.log.tell(undo("new"))
    assert (talk.status(leeds), talk.status(bergen)) == (Status.SUPERSEDED, Status.LIVE)
    talk.relearn(talk.fact("I live in Bergen now", BERGEN, minute=5), run="third")
    assert (talk.status(leeds), talk.status(bergen)) == (Status.SUPERSEDED, Status.RETIRED)


def test_a_part_that_an_old_fact_had_ended_holds_again_until_it_is_undone(talk: Talk) -> None:
    both = talk.fact("I live in Leeds and work as a baker", LEEDS, session="s1").model_copy(
        update={"says_more": True, "is_whole": False}
    )
    [old] = talk.learn(both, session="s1", run="first")
    talk.learn(talk.fact("I live in Bergen", BERGEN, minute=5))
    assert any(isinstance(event.data, FactOutdated) for event in talk.log.events)
    before = talk.known
    talk.relearn(talk.fact("Based on my experience I live in Bergen", minute=5))
    assert unpacked(talk.log.state.facts[old].claims).ended == frozenset()
    talk.log.tell(undo("new"))
    assert before.items() <= talk.known.items()


@pytest.mark.parametrize("keep", [pin, confirm, correct, lambda each: undo(memory_id=each)])
def test_what_its_person_decided_about_is_left_and_not_told_in_other_words(talk: Talk, keep: Callable[[str], Command]) -> None:
    [old] = talk.learn(talk.fact("I live in Bergen"))
    talk.log.tell(keep(old))
    before = talk.known
    assert talk.relearn(talk.fact("Based on my experience I live in Bergen")) == []
    assert talk.known == before


def test_what_a_model_told_and_what_rests_on_turns_that_are_gone_is_left(talk: Talk) -> None:
    [by_model] = talk.learn(talk.fact("Tom is a singer"), run="model", extractor="llm")
    [unread] = talk.learn(extracted("Anna likes tea"), run="older")
    talk.relearn()
    assert (talk.status(by_model), talk.status(unread)) == (Status.LIVE, Status.LIVE)


def test_what_was_learned_of_turns_that_were_not_read_this_time_is_left(talk: Talk) -> None:
    [*_, said] = talk.log.tell(user_says("I sail.", "s2", message_id="later"))
    talk.turns["s2"] = str(said.data.subject)
    [later] = talk.learn(talk.fact("I sail"))
    talk.relearn(through_number=said.number)
    assert talk.status(later) is Status.LIVE
    talk.relearn(run="newer")
    assert talk.status(later) is Status.RETIRED


def test_a_fact_that_another_session_tells_too_goes_when_neither_does(talk: Talk) -> None:
    [old] = talk.learn(talk.fact("I live in Bergen"))
    talk.learn(talk.fact("I live in Bergen", session="s1"), session="s1", run="again")
    before = talk.known
    assert talk.relearn(talk.fact("Based on my experience I live in Bergen")) == []
    assert talk.known == before
    talk.relearn(session="s1")
    assert talk.log.state.facts[old].repeat_count == 0
    talk.relearn(run="new-2")
    assert talk.status(old) is Status.RETIRED
    talk.log.tell(undo("new-2"))
    talk.log.tell(undo("new"))
    assert talk.known == before


def test_one_undo_takes_back_several_sessions_and_one_redo_does_them_again(talk: Talk) -> None:
    talk.learn(talk.fact("I live in Leeds", LEEDS, session="s1"), session="s1", run="first")
    talk.learn(talk.fact("I live in Bergen", BERGEN, minute=5), talk.fact("Tom sings"))
    before = talk.known
    talk.relearn(talk.fact("Based on my experience I live in Bergen", minute=5), talk.fact("my cat Tom sings"))
    talk.relearn(talk.fact("I live in Leeds and work as a baker", session="s1"), session="s1")
    after = talk.known
    talk.log.tell(undo("new"))
    undone = talk.known
    assert before.items() <= undone.items()
    assert {undone[each][0] for each in undone.keys() - before} == {Status.RETIRED}  # type: ignore[index]
    talk.log.tell(redo("new"))
    assert talk.known == after


def test_a_question_about_an_old_fact_is_closed_and_is_asked_again_when_that_is_undone(talk: Talk) -> None:
    [baker] = talk.learn(talk.fact("Leeds, as a baker", session="s1"), session="s1", run="first")
    [bergen] = talk.learn(talk.fact("Bergen, for the experience"))
    talk.log.decide(lambda ruling: doubt(bergen, baker, "named", ruling))
    [asked] = talk.log.state.conflicts
    talk.relearn(talk.fact("Based on my experience I live in Bergen"))
    assert not talk.log.state.conflicts[asked].is_pending
    talk.log.tell(undo("new"))
    assert talk.log.state.conflicts[asked].is_pending


def test_what_was_undone_is_compared_with_no_more(talk: Talk) -> None:
    [old] = talk.learn(talk.fact("I live in Bergen"))
    [new] = talk.relearn(talk.fact("Based on my experience I live in Bergen"))
    talk.log.tell(undo("new"))
    talk.relearn(talk.fact("Based on my experience I live in Bergen"), run="newer")
    assert (talk.status(old), talk.status(new)) == (Status.RETIRED, Status.LIVE)
    talk.relearn(talk.fact("I live in Bergen"), run="newest")
    assert talk.status(new) is Status.RETIRED


def test_what_was_forgotten_stays_forgotten(talk: Talk) -> None:
    [old] = talk.learn(talk.fact("I live in Bergen"))
    talk.log.tell(Forget(memory_ids=(old,), only=True))
    assert talk.relearn(talk.fact("I live in Bergen")) == []


def test_what_the_cap_drove_out_stays_out(talk: Talk) -> None:
    talk.log.tell(cap(1))
    [old] = talk.learn(talk.fact("I live in Bergen"))
    talk.learn(talk.fact("I bake", session="s1"), session="s1", run="other")
    assert {talk.status(each) for each in talk.log.state.facts} == {Status.LIVE, Status.RETIRED}
    before = talk.status(old)
    talk.relearn(talk.fact("I live in Bergen"))
    assert talk.status(old) is before


def test_a_session_is_said_to_be_consolidated_by_the_new_run_and_live_is_as_rebuilt(talk: Talk) -> None:
    [old] = talk.learn(talk.fact("I live in Bergen"))
    talk.relearn(talk.fact("Based on my experience I live in Bergen"))
    runs = [event.data.origin.run_id for event in talk.log.events if isinstance(event.data, SessionConsolidated)]
    assert runs == ["old", "new"]
    talk.log.tell(restore(old))
    talk.log.tell(undo("new"))
    assert not any(isinstance(event.data, MemoryRepeated) for event in talk.log.events)
    rebuilt = talk.log.rebuilt()
    assert (rebuilt.memories, rebuilt.facts) == (talk.log.state.memories, talk.log.state.facts)


@pytest.mark.parametrize("is_own", [True, False])
async def test_the_ingest_that_decides_for_a_person_tells_what_learning_anew_changes(*, is_own: bool) -> None:
    async def changes(_: object) -> list[dict[str, Any]] | None:
        return [] if is_own else None

    class Others:
        async def ask(self, what: str, _: object) -> list[dict[str, Any]]:
            return [{"changes": None if is_own else [what]}]

    nobody: Any = None
    others: Any = Others()
    reports = IngestReports(IngestPartReports(nobody, nobody, nobody, nobody, changes), others)
    assert await reports.preview(nobody) == {"changes": [] if is_own else ["preview"]}
