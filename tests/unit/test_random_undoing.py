"""Whatever was said, doubted and answered before: a run that is taken back at once leaves everything as it was."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from services.retriever.store.memory_file import MemoryFile
from shared.contracts.command import Command
from shared.contracts.conflicts import Holds
from shared.contracts.errors import NotRecorded, Rejected
from shared.contracts.events import SessionConsolidated
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Origin
from shared.contracts.privacy import Forget
from tests.support.commands import answer, confirm, extracted, page, pin, redo, remember, restore, undo, user_says
from tests.support.examples import examples
from tests.support.paper import PaperLog
from tests.support.scopes import at

STATEMENTS = (
    "I live in Leeds.",
    "I live in York.",
    "I think I live in Bath now.",
    "I no longer live in York.",
    "My rent is 800 euros.",
    "I live in Leeds and my rent is 900 euros.",
    "I guess my rent is 950 euros.",
    "I work at Siemens.",
    "I speak Welsh.",
    *("My sister lives in Oslo.", "My sister lives in Bergen.", "My sister lives in Ghent."),
)
statements, hours, which = st.sampled_from(STATEMENTS), st.integers(0, 6), st.integers(0, 9)


class Undoing(RuleBasedStateMachine):
    """Runs and recordings in any order, some taken back."""

    @initialize()
    def begin(self) -> None:
        self.log = PaperLog()
        self.runs = 0
        [*_, said] = self.log.tell(user_says(" ".join(STATEMENTS), "s1"))
        self.turn = str(said.data.subject)

    @rule(text=statements, hour=hours)
    def tell(self, text: str, hour: int) -> None:
        self._tell(remember(text, occurred_at=at(60 * hour)))

    @rule(told=st.lists(st.tuples(statements, hours), min_size=1, max_size=3))
    def learn(self, told: list[tuple[str, int]]) -> None:
        self._learn(told)

    @rule(told=st.lists(st.tuples(statements, hours), min_size=1, max_size=4))
    def learn_and_take_back_at_once(self, told: list[tuple[str, int]]) -> None:
        before = self._visible()
        self._learn(told)
        run = f"run-{self.runs}"
        self._tell(undo(run))
        facts, asked = self._visible()
        assert facts == before[0]
        assert asked == before[1]
        assert self._tell(undo(run)) == 0

    @rule(told=st.lists(st.tuples(statements, hours), max_size=4))
    def relearn_and_take_back_at_once(self, told: list[tuple[str, int]]) -> None:
        before = self._visible()
        self._learn(told, is_relearned=True)
        self._tell(undo(f"run-{self.runs}"))
        assert self._visible() == before

    @rule(told=st.lists(st.tuples(statements, hours), min_size=1, max_size=4))
    def learn_take_back_and_do_again(self, told: list[tuple[str, int]]) -> None:
        self._learn(told)
        learned, run = self._everything(), f"run-{self.runs}"
        self._tell(undo(run))
        undone = self._everything()
        self._tell(redo(run))
        assert self._everything() == learned
        assert self._tell(redo(run)) == 0
        self._tell(undo(run))
        assert self._everything() == undone
        self._tell(redo(run))
        assert self._everything() == learned

    @precondition(lambda self: self.runs)
    @rule(number=which)
    def do_again(self, number: int) -> None:
        run = f"run-{1 + number % self.runs}"
        self._tell(redo(run))
        assert self._tell(redo(run)) == 0

    @precondition(lambda self: self.log.state.facts)
    @rule(number=which)
    def do_one_again(self, number: int) -> None:
        picked = self._pick(number)
        before = self._everything()
        if self._tell(undo(memory_id=picked)) and self.log.state.memories[picked].ended == "undone":
            self._tell(redo(memory_id=picked))
            assert self._everything() == before

    @precondition(lambda self: self.runs)
    @rule(number=which)
    def take_back(self, number: int) -> None:
        run = f"run-{1 + number % self.runs}"
        self._tell(undo(run))
        assert self._tell(undo(run)) == 0

    @precondition(lambda self: self.log.state.facts)
    @rule(number=which)
    def take_one_back(self, number: int) -> None:
        self._tell(undo(memory_id=self._pick(number)))

    @precondition(lambda self: self.log.state.facts)
    @rule(number=which, command=st.sampled_from([pin, confirm, restore]))
    def keep(self, number: int, command: Any) -> None:  # noqa: ANN401 - a builder of commands
        self._tell(command(self._pick(number)))

    @precondition(lambda self: self.log.state.conflicts)
    @rule(number=which, holds=st.sampled_from(["newer", "older", "both", "neither"]))
    def settle(self, number: int, holds: Holds) -> None:
        asked = sorted(self.log.state.conflicts)
        self._tell(answer(asked[number % len(asked)], holds))

    @precondition(lambda self: self.log.state.facts)
    @rule(number=which)
    def forget(self, number: int) -> None:
        self._tell(Forget(memory_ids=(self._pick(number),), only=True))

    @invariant()
    def a_rebuild_leads_to_the_same(self) -> None:
        assert self.log.rebuilt() == self.log.state

    @invariant()
    def only_live_facts_are_asked_about(self) -> None:
        for conflict in self.log.state.conflicts.values():
            if conflict.is_pending:
                assert {self.log.state.memories[each].status for each in (conflict.older, conflict.newer)} == {"live"}

    def teardown(self) -> None:
        """The retriever's file is the same in one go and event by event."""
        if not hasattr(self, "log"):
            return
        with TemporaryDirectory() as folder:
            one, other = (MemoryFile(Path(folder) / name) for name in ("one.db", "other.db"))
            one.apply(self.log.records)
            for record in self.log.records:
                other.apply([record])
            assert one.digest() == other.digest()
            one.close()
            other.close()

    def _learn(self, told: list[tuple[str, int]], *, is_relearned: bool = False) -> None:
        self.runs += 1
        origin = Origin(extractor="rules/1", run_id=f"run-{self.runs}")
        facts = [extracted(text, source=self.turn, occurred_at=at(60 * hour)) for text, hour in told]
        command = page(*facts, number=self.runs, is_last=True)
        events = self.log.tell(
            command.model_copy(update={"origin": origin, "is_relearned": is_relearned, "through_number": 9999})
        )
        assert is_relearned or any(isinstance(event.data, SessionConsolidated) for event in events)

    def _tell(self, command: Command) -> int:
        with suppress(Rejected, NotRecorded):
            return len(self.log.tell(command))
        return 0

    def _pick(self, number: int) -> MemoryId:
        known = sorted(self.log.state.facts)
        return known[number % len(known)]

    def _everything(self) -> tuple[str, set[str]]:
        """The digest of what is remembered, and what is asked."""
        with TemporaryDirectory() as folder:
            file = MemoryFile(Path(folder) / "all.db")
            file.apply(self.log.records)
            digest = file.content_digest()
            file.close()
        return digest, {each for each, conflict in self.log.state.conflicts.items() if conflict.is_pending}

    def _visible(self) -> tuple[dict[MemoryId, Any], set[str]]:
        """What is known of each fact that nobody took back, and what is asked."""
        state = self.log.state
        facts = {
            memory_id: (memory, replace(fact, importance=0, parts={}))
            for memory_id, fact in state.facts.items()
            if (memory := state.memories[memory_id]).ended != "undone"
        }
        return facts, {each for each, conflict in state.conflicts.items() if conflict.is_pending}


Undoing.TestCase.settings = settings(max_examples=examples(60), stateful_step_count=12, deadline=None)
TestUndoing = Undoing.TestCase
