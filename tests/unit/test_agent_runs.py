"""An agent learns from a session itself: under the guards of the consolidator, by commands that any bot may send."""

import pytest

from services.ingest.command_group import CommandGroup, ReadMessage
from services.ingest.domain.memories import Status
from shared.contracts.conflicts import ConflictDetected
from shared.contracts.consolidating import FactOfBatch, MarkSessionConsolidated, ResolveConflict, SaveFactsBatch
from shared.contracts.errors import NoEvidence, NotAFact, Superseded, UnknownMemory, UnknownSession
from shared.contracts.events import FactRemembered, MemoryRepeated, SessionCompleted, SessionConsolidated
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.privacy import Forget
from tests.support.commands import agent_says, end, remember, undo, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import at
from tests.support.sent import sent

S1 = SessionId("s1")


class Talked:
    """A session with one turn."""

    def __init__(self) -> None:
        self.log = PaperLog()
        events = self.log.tell(user_says("I live in Leeds and row boats.", "s1", message_id="m1", occurred_at=at(5)))
        self.turn = next(event.data.subject for event in events if event.type == "episode_recorded") or MemoryId("")

    def batch(self, *texts: str, **more: object) -> SaveFactsBatch:
        facts = tuple(FactOfBatch(text=text, source_ids=(self.turn,)) for text in texts)
        return SaveFactsBatch.model_validate({"session_id": "s1", "facts": facts} | more)

    def learned(self, *texts: str, **more: object) -> list[FactRemembered]:
        events = self.log.tell(self.batch(*texts, **more))
        return [event.data for event in events if isinstance(event.data, FactRemembered)]


def test_a_batch_is_learned_with_its_sources_and_its_run() -> None:
    talked = Talked()
    [fact] = talked.learned("The user rows boats.", run_id="agent-7", model="llama")
    assert (fact.source_ids, fact.manually_saved, fact.confidence) == ((talked.turn,), False, 0.8)
    assert fact.origin
    assert (fact.origin.extractor, fact.origin.run_id, fact.origin.model) == ("agent", "agent-7", "llama")
    assert talked.log.events[-1].occurred_at == at(5)
    talked.log.tell(undo("agent-7"))
    assert talked.log.state.memories[fact.memory_id].status is Status.RETIRED


def test_the_same_fact_twice_in_a_batch_is_one_and_known_ones_are_repeats() -> None:
    talked = Talked()
    assert len(talked.learned("The user rows boats.", "the user  ROWS boats.")) == 1
    assert talked.log.state.facts[next(iter(talked.log.state.facts))].repeat_count == 0
    events = talked.log.tell(talked.batch("The user rows boats."))
    assert [type(event.data) for event in events] == [MemoryRepeated]


def test_what_a_batch_says_ends_what_it_contradicts() -> None:
    talked = Talked()
    old = talked.log.tell(remember("I live in York."))[0].data.subject
    assert old
    talked.learned("The user lives in Leeds.")
    assert talked.log.state.memories[old].status is Status.SUPERSEDED


def test_a_fact_may_rest_on_nothing_but_turns_of_its_session() -> None:
    talked = Talked()
    other = talked.log.tell(user_says("I sing.", "s2", message_id="m2"))[-1].data.subject
    fact = talked.log.tell(remember("The user sings."))[0].data.subject
    for source in (other, fact, "ep_0"):
        with pytest.raises(UnknownMemory):
            talked.log.tell(
                SaveFactsBatch(session_id=S1, facts=(FactOfBatch(text="x y", source_ids=(MemoryId(str(source)),)),))
            )
    with pytest.raises(UnknownSession):
        talked.log.tell(talked.batch("x y").model_copy(update={"session_id": SessionId("s9")}))


def test_an_open_session_is_ended_and_marked_once() -> None:
    talked = Talked()
    mark = MarkSessionConsolidated(session_id=S1, facts=2, run_id="agent-7")
    completed, consolidated = talked.log.tell(mark)
    assert isinstance(completed.data, SessionCompleted)
    assert isinstance(consolidated.data, SessionConsolidated)
    assert (consolidated.data.through_number, consolidated.data.facts) == (completed.number, 2)
    assert talked.log.tell(mark) == []
    assert talked.log.rebuilt() == talked.log.state


def test_turns_after_the_mark_are_new() -> None:
    talked = Talked()
    talked.log.tell(MarkSessionConsolidated(session_id=S1))
    talked.log.tell(user_says("More.", "s1", message_id="m3"))
    talked.log.tell(end("s1"))
    [event] = talked.log.tell(MarkSessionConsolidated(session_id=S1))
    assert isinstance(event.data, SessionConsolidated)


def test_one_fact_is_put_in_the_place_of_another_once() -> None:
    talked = Talked()
    old, new = (talked.log.tell(remember(text))[0].data.subject for text in ("The cat is called Tom", "The cat is named Tim"))
    assert old
    assert new
    resolve = ResolveConflict(memory_id=old, superseded_by=new)
    assert talked.log.tell(resolve)
    assert (talked.log.state.facts[old].superseded_by, talked.log.state.facts[old].confidence) == (new, 0.3)
    assert talked.log.tell(resolve) == []
    with pytest.raises(Superseded):
        talked.log.tell(ResolveConflict(memory_id=new, superseded_by=old))
    with pytest.raises(NotAFact):
        talked.log.tell(ResolveConflict(memory_id=talked.turn, superseded_by=new))


def test_who_is_not_certain_has_the_person_asked() -> None:
    talked = Talked()
    old, new = (talked.log.tell(remember(text))[0].data.subject for text in ("The cat is called Tom", "The cat is named Tim"))
    assert old
    assert new
    [event] = talked.log.tell(ResolveConflict(memory_id=old, superseded_by=new, is_certain=False))
    assert isinstance(event.data, ConflictDetected)
    assert (event.data.memory_id, event.data.newer, event.data.reason) == (old, new, "named")


def test_what_was_forgotten_is_not_learned_again_and_leaves_no_dead_letter() -> None:
    talked = Talked()
    talked.log.tell(Forget(memory_ids=(talked.turn,)))
    command = talked.batch("The user rows boats.")
    message = sent(command, sequence=99)
    group = CommandGroup([ReadMessage(message, command)])
    group.decide({message.scope: talked.log.state})
    [decided] = group.decided
    assert decided.verdict == "not_recorded"
    assert decided.keeps_no_words


def test_a_fact_whose_words_do_not_rest_on_its_turns_is_left_out_and_counted() -> None:
    talked = Talked()
    facts = talked.batch("The user owns a castle in Transylvania.", "The user rows boats.")
    message = sent(facts, sequence=99)
    group = CommandGroup([ReadMessage(message, facts)])
    group.decide({message.scope: talked.log.state})
    [decided] = group.decided
    assert [event.data.text for event in decided.events if isinstance(event.data, FactRemembered)] == ["The user rows boats."]
    assert decided.facts_refused == 1
    assert decided.keeps_no_words


def test_a_batch_of_nothing_but_inventions_is_refused_and_counted() -> None:
    talked = Talked()
    command = talked.batch("The user owns a castle in Transylvania.")
    with pytest.raises(NoEvidence):
        talked.log.tell(command)
    message = sent(command, sequence=99)
    group = CommandGroup([ReadMessage(message, command)])
    group.decide({message.scope: talked.log.state})
    assert group.decided[0].facts_refused == 1


def test_what_only_the_assistant_said_is_no_evidence() -> None:
    talked = Talked()
    events = talked.log.tell(agent_says("You live in Bergen, I suppose.", "s1"))
    turn = next(event.data.subject for event in events if event.type == "episode_recorded")
    fact = FactOfBatch(text="The user lives in Bergen.", source_ids=(MemoryId(str(turn)),))
    with pytest.raises(NoEvidence):
        talked.log.tell(SaveFactsBatch(session_id=S1, facts=(fact,)))
