"""Whatever is said, forgotten, sent again and rebuilt: nothing forgotten is known again unless it was lifted."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from services.ingest.domain.state import ScopeState
from shared.contracts.command import Command
from shared.contracts.commands import SaveFacts
from shared.contracts.envelope import Envelope
from shared.contracts.errors import NotRecorded, Rejected
from shared.contracts.ids import MemoryId, MessageId, SessionId
from shared.contracts.privacy import EndIncognito, Forget, ForgetUser, MemoryForgotten, StartIncognito, TombstoneLifted
from tests.support.commands import ORIGIN, extracted, import_of, remember, user_says
from tests.support.examples import examples
from tests.support.paper import PaperLog
from tests.support.scopes import T0

WORDS = ("Quixeldra", "Bramblethwick", "Zorbifer", "Snollygoster")
SESSIONS = ("s1", "s2")
words, sessions, yes = st.sampled_from(WORDS), st.sampled_from(SESSIONS), st.booleans()


def sentence(word: str) -> str:
    return f"My favourite thing of all is {word}."


class Forgetting(RuleBasedStateMachine):
    """A naive model: which words are forgotten since they were told last, and which sessions are incognito.

    With a fact goes the turn that it was learned from, also where that says another word: it is barred then, and may be
    known from other turns.
    """

    @initialize()
    def begin(self) -> None:
        self.log = PaperLog()
        self.now = T0
        self.count = 0
        self.forgotten: set[str] = set()
        self.barred: dict[str, timedelta] = {}  # since when
        self.incognito: set[str] = set()

    def tell(self, command: Command) -> list[Envelope]:
        with suppress(NotRecorded, Rejected):
            return self.log.tell(command, now=self.now)
        return []

    def known(self, word: str) -> bool:
        """True if any memory from which something may be learned or recalled holds the word."""
        memories = self.log.state.memories
        told = (each for each in self.log.words().told.values() if not memories[each.memory_id].held_back)
        return any(word in text for each in told for text in each.texts)

    def lifts(self, events: list[Envelope]) -> bool:
        return any(isinstance(event.data, TombstoneLifted) for event in events)

    def lift(self, word: str) -> None:
        self.forgotten.discard(word)
        assert self.now - T0 >= self.barred.pop(word) + timedelta(hours=24)

    @rule(word=words, session=sessions, with_id=yes)
    def say(self, word: str, session: str, with_id: bool) -> None:  # noqa: FBT001 - hypothesis names it
        self.count += 1
        events = self.tell(user_says(sentence(word), session, message_id=f"m{self.count}" if with_id else None))
        if session in self.incognito:
            assert not events
        elif self.lifts(events):
            self.lift(word)

    @rule(number=st.integers(1, 12), word=words, session=sessions)
    def resend(self, number: int, word: str, session: str) -> None:
        events = self.tell(user_says(sentence(word), session, message_id=f"m{number}"))
        self.count = max(self.count, number)
        if self.lifts(events):
            self.lift(word)

    @rule(told=st.lists(words, min_size=1, max_size=3), session=sessions)
    def bring_in(self, told: list[str], session: str) -> None:
        assert not self.lifts(self.tell(import_of([user_says(sentence(word), session) for word in told])))

    @rule(word=words)
    def save_by_hand(self, word: str) -> None:
        if self.lifts(self.tell(remember(sentence(word)))):
            self.forgotten.discard(word)
            self.barred.pop(word)

    @rule(word=words, session=sessions)
    def learn(self, word: str, session: str) -> None:
        """A consolidation that began long ago hands in a fact with some turn as its source."""
        sources = [told.memory_id for told in self.log.words().turns()]
        self.count += 1
        page = SaveFacts(
            message_id=MessageId(f"run/{self.count}"),
            session_id=SessionId(session),
            page=0,
            is_last=False,
            through_number=1,
            origin=ORIGIN,
            facts=(extracted(sentence(word), source=sources[0] if sources else MemoryId("ep_0123456789abcdef01234567")),),
        )
        if self.lifts(self.tell(page)):
            self.lift(word)

    @rule(word=words)
    def forget(self, word: str) -> None:
        texts = {memory_id: " ".join(told.texts) for memory_id, told in self.log.words().told.items()}
        gone = [event.data for event in self.tell(Forget(query=word)) if isinstance(event.data, MemoryForgotten)]
        for text in (texts[memory_id] for data in gone for memory_id in data.memory_ids):
            self.forgotten.add(word)
            self.barred |= {each: self.now - T0 for each in WORDS if each in text}

    @rule()
    def forget_everything(self) -> None:
        self.tell(ForgetUser())
        self.forgotten.clear()
        self.barred.clear()
        self.incognito.clear()
        assert not self.log.words().told

    @rule(session=sessions, on=yes)
    def switch(self, session: str, on: bool) -> None:  # noqa: FBT001 - hypothesis names it
        self.tell(StartIncognito(session_id=SessionId(session)) if on else EndIncognito(session_id=SessionId(session)))
        (self.incognito.add if on else self.incognito.discard)(session)

    @rule(hours=st.sampled_from([1, 25]))
    def wait(self, hours: int) -> None:
        self.now += timedelta(hours=hours)

    @rule()
    def erase(self) -> None:
        self.log.erase()
        text = "".join(each.encode().decode() for each in self.log.events if not getattr(each.data, "held_back", False))
        assert not [word for word in self.forgotten if word in text]

    @invariant()
    def nothing_forgotten_is_known(self) -> None:
        assert not [word for word in self.forgotten if self.known(word)]

    @invariant()
    def the_state_is_what_the_log_leads_to(self) -> None:
        assert _plain(self.log.state) == _plain(self.log.rebuilt())

    @invariant()
    def erasing_changes_nothing_that_decides_what_is_private(self) -> None:
        before, after = self.log.state, PaperLog()
        after.records, after.states = list(self.log.records), dict(self.log.states)
        after.erase()
        assert (before.privacy, before.number) == (after.state.privacy, after.state.number)
        assert before.memories.keys() == after.state.memories.keys()
        assert before.likenesses == after.state.likenesses


def _plain(state: ScopeState) -> str:
    shown = [
        getattr(state, name) for name in ("number", "sessions", "seen", "memories", "facts", "likenesses", "live", "privacy")
    ]
    return json.dumps(shown, default=repr)


TestForgetting = Forgetting.TestCase
TestForgetting.settings = settings(max_examples=examples(15), stateful_step_count=25)
