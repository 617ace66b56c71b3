"""What holds now stands in the place of what does not: no superseded fact is handed out, and its turn stands below, marked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from services.retriever.assembly import context, search
from services.retriever.domain.block import TO_ASK
from services.retriever.explanation import Explained, explain
from services.retriever.search_request import SearchRequest
from services.retriever.store.memory_detail import detail
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.overview import profile
from shared.contracts.event import EventData
from shared.contracts.events import FactOutdated, FactSuperseded
from shared.contracts.ids import MemoryId, RecallId, SessionId
from shared.contracts.parts import FactSlot
from shared.contracts.queries import ContextAnswer, EntityQuery, Fate, MemoryDetail, Outdated, ScoredMemory
from tests.support.files import question
from tests.support.history import doubted, fact, history, named, restored, retired, said, settled, superseded
from tests.support.scopes import at

ASKED = "Where do I live?"
LEEDS, YORK, NORA = "fact_1", "fact_2", "fact_3"
OLD_TURN, NEW_TURN = "ep_1", "ep_2"
SAID = "I live in Leeds."


def home(value: str) -> FactSlot:
    return FactSlot(subject="user", attribute="home", value=value)


def known(memory_id: str, text: str, source: str, session: str, *slots: FactSlot) -> EventData:
    return fact(memory_id, text, source_ids=(source,), slots=slots, session_id=SessionId(session))


def moved(*between: EventData, told: str = SAID) -> list[EventData]:
    """Somebody lives in Leeds and has a cat; in another session they moved to York."""
    return [
        said(OLD_TURN, told, entities=named(("Leeds", "location"))),
        said("ep_3", "Where do you live, and what do I live on?"),
        known(LEEDS, "The user lives in Leeds.", OLD_TURN, "s1", home("leeds")),
        fact("fact_9", "The user has a cat called Miso."),
        *between,
        said(NEW_TURN, "We finally packed our boxes and went up to York.", session_id=SessionId("s2")),
        known(YORK, "The user moved from Leeds to York last week.", NEW_TURN, "s2", home("york")),
    ]


def ended(old: str = LEEDS, new: str = YORK, **more: Any) -> FactSuperseded:  # noqa: ANN401 - as the event has it
    return superseded(old, new).model_copy(update=more)


def outdated(old: str, new: str, *slots: int) -> FactOutdated:
    return FactOutdated(memory_id=MemoryId(old), outdated_by=MemoryId(new), slots=slots, valid_until=at(30))


class Told:
    """A file to which events were told."""

    def __init__(self, folder: Path, events: list[EventData]) -> None:
        self.file = MemoryFile(folder / "anna.db")
        self.file.apply(history(events))

    def context(self, asked: str | SearchRequest = ASKED, budget: int | None = None) -> ContextAnswer:
        request = question(asked) if isinstance(asked, str) else asked
        with self.file.connect() as db:
            return context(self.file.searched(db), request, recall_id=RecallId("rec_1"), position=1, budget_tokens=budget)

    def items(self, asked: str | SearchRequest = ASKED) -> list[str]:
        return [item.memory_id for item in self.context(asked).items]

    def item(self, memory_id: str, asked: str | SearchRequest = ASKED) -> ScoredMemory:
        return next(item for item in self.context(asked).items if item.memory_id == memory_id)

    def shown(self, memory_id: str) -> MemoryDetail:
        with self.file.connect() as db:
            return detail(db, memory_id)


def test_before_anything_has_ended_the_old_statement_answers_best(tmp_path: Path) -> None:
    assert Told(tmp_path, moved()).items()[0] == LEEDS


def test_what_holds_stands_first_and_the_old_turn_below_marked(tmp_path: Path) -> None:
    told = Told(tmp_path, [*moved(), ended(valid_until=at(30))])
    items = told.items()
    assert items[0] == YORK
    assert LEEDS not in items
    assert (told.item(OLD_TURN).outdated, told.item(OLD_TURN).outdated_by) == (Outdated.WHOLLY, (YORK,))
    assert told.item(OLD_TURN).valid_until == at(30)
    assert "(2026-05-03 09:01, user, outdated since 2026-05-03) I live in Leeds. [2]" in told.context().markdown
    assert told.item(YORK).outdated is None


def test_a_line_of_changes_leads_to_what_holds_now(tmp_path: Path) -> None:
    hull = [said("ep_4", "Now it is Hull.", session_id=SessionId("s3")), known("fact_4", "The user is in Hull.", "ep_4", "s3")]
    told = Told(tmp_path, [*moved(), ended(), *hull, ended(YORK, "fact_4")])
    items = told.items()
    assert items[0] == "fact_4"
    assert not {LEEDS, YORK}.intersection(items)
    assert told.item(OLD_TURN).outdated_by == ("fact_4",)


def test_a_turn_that_states_more_is_partly_outdated_and_keeps_its_place_for_the_rest(tmp_path: Path) -> None:
    told_both = "I live in Leeds with my sister Nora, who paints harbours."
    events = moved(known(NORA, "The user's sister Nora paints harbours.", OLD_TURN, "s1"), told=told_both)
    told = Told(tmp_path, [*events, ended()])
    assert told.items()[0] == YORK
    assert told.item(OLD_TURN).outdated is Outdated.PARTLY
    assert told.items("Who paints harbours?")[0] in {NORA, OLD_TURN}
    assert "partly outdated" in told.context("Who paints harbours?").markdown


def test_a_fact_that_is_outdated_in_part_stays_behind_what_outdates_it_where_both_answer(tmp_path: Path) -> None:
    both = known(NORA, "The user lives in Leeds and keeps bees.", OLD_TURN, "s1", home("leeds"))
    told = Told(tmp_path, [*moved()[:2], both, *moved()[4:], outdated(NORA, YORK, 0)])
    items = told.items("Did I move from Leeds?")
    assert items.index(YORK) < items.index(NORA)
    assert (told.item(NORA).outdated, told.item(NORA).outdated_slots) == (Outdated.PARTLY, (0,))
    assert told.items("Who keeps bees?")[0] == NORA


def test_an_outdating_that_was_undone_does_not_count(tmp_path: Path) -> None:
    both = known(NORA, "The user lives in Leeds and keeps bees.", OLD_TURN, "s1", home("leeds"))
    undone = retired(YORK).model_copy(update={"reason": "undone"})
    told = Told(tmp_path, [*moved()[:2], both, *moved()[4:], outdated(NORA, YORK, 0), undone])
    assert told.item(NORA).outdated is None


def test_what_is_restored_holds_again(tmp_path: Path) -> None:
    told = Told(tmp_path, [*moved(), ended(), restored(LEEDS, "superseded")])
    assert told.items()[0] == LEEDS
    assert all(item.outdated is None for item in told.context().items)


@pytest.mark.parametrize("kinds", [("fact",), ("episode",)])
def test_where_only_one_kind_is_wanted_what_holds_still_stands_first(tmp_path: Path, kinds: tuple[str, ...]) -> None:
    told = Told(tmp_path, [*(event for event in moved() if getattr(event, "memory_id", "") != "ep_3"), ended()])
    assert told.items(question(ASKED, kinds=kinds))[0] == (YORK if kinds == ("fact",) else NEW_TURN)


def test_what_was_said_in_the_session_that_asks_stays_out_and_the_old_turn_is_marked_all_the_same(tmp_path: Path) -> None:
    told = Told(tmp_path, [*moved(), ended()])
    items = told.items(question(ASKED, session="s2"))
    assert YORK not in items
    assert LEEDS not in items
    assert told.item(OLD_TURN, question(ASKED, session="s2")).outdated is Outdated.WHOLLY


def test_search_entity_and_show_tell_the_same(tmp_path: Path) -> None:
    told = Told(tmp_path, [*moved(), ended()])
    with told.file.connect() as db:
        found = [item.memory_id for item in search(told.file.searched(db), question(ASKED), position=1).items]
        of_leeds = profile(db, EntityQuery(name="Leeds"), 1).memories
    assert found[0] == YORK
    assert LEEDS not in found
    assert {memory.memory_id: memory.outdated for memory in of_leeds} == {OLD_TURN: Outdated.WHOLLY}
    old, new = told.shown(LEEDS), told.shown(YORK)
    assert (old.superseded_by, new.supersedes) == (YORK, LEEDS)
    assert (old.outdated, old.outdated_by) == (Outdated.WHOLLY, (YORK,))
    assert old.valid_until == old.ended_at is not None
    assert old.slots == (home("leeds"),)


def test_an_explanation_says_for_what_a_fact_stands_and_its_parts_add_up(tmp_path: Path) -> None:
    told = Told(tmp_path, [*moved(), ended()])
    with told.file.connect() as db:
        asked = Explained(question(ASKED), None, most_candidates=99)
        answer = explain(told.file.searched(db), asked, position=1, at_number=told.file.number)
    considered = {each.memory.memory_id: each for each in answer.candidates}
    assert considered[YORK].place == 1
    assert set(considered[YORK].stands_for) == {LEEDS, OLD_TURN}
    assert considered[YORK].relevance_parts["stands_for"] > 0
    assert considered[YORK].relevance == pytest.approx(sum(considered[YORK].relevance_parts.values()))
    assert considered[OLD_TURN].confidence == 0.3
    assert considered[LEEDS].fate is Fate.SUPERSEDED


def test_what_is_known_of_somebody_leaves_out_what_does_not_hold(tmp_path: Path) -> None:
    told = Told(tmp_path, [*moved(), ended()])
    items = told.items(question("What do you know about me?")._replace(is_broad=True))
    assert LEEDS not in items
    assert items.index(YORK) < items.index(OLD_TURN)


def test_without_its_heir_an_old_turn_is_still_marked(tmp_path: Path) -> None:
    told = Told(tmp_path, [*moved(), ended(), retired(YORK)])
    assert not {LEEDS, YORK}.intersection(told.items())
    assert (told.item(OLD_TURN).outdated, told.item(OLD_TURN).outdated_by) == (Outdated.WHOLLY, ())


def test_statements_about_the_same_of_one_day_have_their_times(tmp_path: Path) -> None:
    block = Told(tmp_path, [*moved(), ended()]).context().markdown
    assert "- (2026-05-03 09:06) The user moved from Leeds to York last week." in block
    assert "- (2026-05-03 09:01, user, outdated" in block
    assert "- (2026-05-03, user) Where do you live" in block


def test_two_facts_in_doubt_are_marked_the_newer_first_and_the_block_asks(tmp_path: Path) -> None:
    told = Told(tmp_path, [*moved(), doubted(LEEDS, YORK)])
    context = told.context()
    items = [item.memory_id for item in context.items]
    assert items.index(YORK) < items.index(LEEDS)
    [pending] = context.pending
    assert (pending.older, pending.newer) == (LEEDS, YORK)
    assert {item.memory_id for item in context.items if item.conflict_ids == (pending.conflict_id,)} == {LEEDS, YORK}
    assert context.markdown.count(", in doubt) ") == 2
    asked = f"{TO_ASK}\n- {pending.question} [{pending.conflict_id}]\n</memories>\n"
    assert context.markdown.endswith(asked)
    assert told.item(LEEDS).outdated is None


def test_after_the_answer_nothing_is_marked_or_asked(tmp_path: Path) -> None:
    context = Told(tmp_path, [*moved(), doubted(LEEDS, YORK), settled(LEEDS, YORK)]).context()
    assert context.pending == ()
    assert not any(item.conflict_ids for item in context.items)
    assert TO_ASK not in context.markdown


@pytest.mark.parametrize("budget", [60, 80, 100, 120, 150, 200, 400])
def test_questions_are_within_the_budget(tmp_path: Path, budget: int) -> None:
    told = Told(tmp_path, [*moved(), doubted(LEEDS, YORK)])
    context = told.context(budget=budget)
    assert context.tokens <= budget
    assert all(pending.question in context.markdown for pending in context.pending)
    held = {item.memory_id for item in context.items}
    assert bool(context.pending) == bool(held.intersection({LEEDS, YORK}))


def test_who_quit_a_job_has_quit_it_after_the_next_and_the_next_stands_first(tmp_path: Path) -> None:
    gone = [FactSlot(subject="user", attribute="employer", value="aldi", negated=True)]
    gone += [FactSlot(subject="user", attribute="employer", negated=True)]
    quitting = known("fact_5", "The user stopped to work at Aldi.", "ep_5", "s1", *gone)
    told = Told(tmp_path, [quitting, fact("fact_6", "Hartley pays the user now."), outdated("fact_5", "fact_6", 1)])
    assert told.items("Where do I work?") == ["fact_6", "fact_5"]
    assert told.item("fact_5", "Where do I work?").outdated is None


def test_the_question_tells_which_part_of_an_old_fact_it_asks_for(tmp_path: Path) -> None:
    slots = [FactSlot(subject="user", attribute="name", value="dan"), home("leeds")]
    both = known(NORA, "The user is called Dan and lives in Leeds.", OLD_TURN, "s1", *slots)
    new = known(YORK, "Boxes were carried up to York.", NEW_TURN, "s2", home("york"))
    told = Told(tmp_path, [said(OLD_TURN, "x"), both, said(NEW_TURN, "y"), new, outdated(NORA, YORK, 1)])
    assert told.items("Where do I live?")[0] == YORK
    assert told.items("What am I called?")[0] == NORA


def test_an_age_says_what_it_comes_to_by_now_and_as_of_then_what_it_was(tmp_path: Path) -> None:
    old = known("fact_7", "The user is 34.", OLD_TURN, "s1", FactSlot(subject="user", attribute="age", value="34"))
    told = Told(tmp_path, [said(OLD_TURN, "im 34"), old])
    later = question("Is the user 34?", now=at(60 * 24 * 800))
    assert "(2026-05-03, 36 or 37 now) The user is 34." in told.context(later).markdown
    assert told.item("fact_7", later).by_now == "36 or 37 now"
    assert told.item("fact_7", question("Is the user 34?", now=at(90))).by_now is None


def test_a_turn_that_comes_after_what_was_learned_from_it_is_looked_at(tmp_path: Path) -> None:
    """As from a log in which memories were imported before their turns."""
    learned = [known(LEEDS, "The user lives in Leeds.", OLD_TURN, "s1", home("leeds")), fact(YORK, "The user lives in York.")]
    events = history([*learned, ended(), said(OLD_TURN, SAID)])
    file = MemoryFile(tmp_path / "anna.db")
    file.apply(events[:-1])
    with file.connect() as db:
        ends = file.searched(db).ends
        assert list(ends.endings([1, 2])) == [1]
    file.apply(events[-1:])
    with file.connect() as db:
        assert list(file.searched(db).ends.endings([1, 2, 4])) == [1, 4]


@pytest.mark.parametrize("what", [doubted(LEEDS, YORK), ended(), outdated(LEEDS, YORK, 0)])
def test_what_is_said_of_a_fact_after_it_was_looked_up_is_known(tmp_path: Path, what: EventData) -> None:
    learned = [known(memory_id, "The user lives here.", OLD_TURN, "s1", home("leeds")) for memory_id in (LEEDS, YORK)]
    events = history([said(OLD_TURN, SAID), *learned, what])
    file = MemoryFile(tmp_path / "anna.db")
    file.apply(events[:-1])
    with file.connect() as db:
        assert not file.searched(db).ends.endings_or_doubts([1, 2, 3])
    file.apply(events[-1:])
    with file.connect() as db:
        assert 2 in file.searched(db).ends.endings_or_doubts([1, 2, 3])
