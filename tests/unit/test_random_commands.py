"""Random commands against a naive model of what a person would expect."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from shared.contracts.command import Command
from shared.contracts.commands import Turn
from shared.contracts.errors import IdReused, Rejected, UnknownSession
from shared.contracts.events import EpisodeRecorded, SessionCompleted, SessionStarted
from shared.contracts.ids import SessionId
from shared.contracts.parts import Role
from tests.support.commands import end, import_of, turn
from tests.support.examples import examples
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, at

SESSIONS = st.sampled_from(["s1", "s2", "s3"])
TURNS = st.builds(
    turn,
    st.sampled_from(["yes", "no"]),
    SESSIONS,
    role=st.sampled_from(list(Role)),
    message_id=st.none() | st.sampled_from(["1", "2", "3"]),
    occurred_at=st.none() | st.integers(-5, 5).map(at),
)


class RandomCommands(RuleBasedStateMachine):
    """The model keeps what was said, by whom, where; and which sessions are open."""

    def __init__(self) -> None:
        super().__init__()
        self.log = PaperLog()
        self.minutes = 0
        self.said: list[tuple[str, str, Role]] = []
        self.ids: dict[tuple[Role, str], str] = {}
        self.open: set[str] = set()
        self.known: set[str] = set()
        self.user_spoke: set[str] = set()
        self.last: dict[str, Any] = {}

    @rule(live=TURNS)
    def say(self, live: Turn) -> None:
        expected = self._expect([live])
        self._tell(live, expected)

    @rule(lives=st.lists(TURNS, min_size=1, max_size=5))
    def bring(self, lives: list[Turn]) -> None:
        expected = self._expect(lives)
        self._tell(import_of(lives), expected)

    @rule(session=SESSIONS)
    def finish(self, session: str) -> None:
        expected = None if session in self.known else UnknownSession
        self._tell(end(session), expected)
        self.open.discard(session)

    def _tell(self, command: Command, expected: type[Rejected] | None) -> None:
        try:
            self.log.tell(command, now=at(self.minutes))
        except Rejected as error:
            refused: type[Rejected] | None = type(error)
            self.log.refuse(command, error, now=at(self.minutes))
        else:
            refused = None
        assert refused is expected
        self.minutes += 1

    def _expect(self, lives: list[Turn]) -> type[Rejected] | None:
        ids = dict(self.ids)
        new = []
        for live in lives:
            key = (live.role, live.message_id)
            if live.message_id and key in ids:
                if ids[key] != live.text:
                    return IdReused
                continue
            if live.message_id:
                ids[live.role, live.message_id] = live.text
            new.append(live)
        self.ids = ids
        for live in new:
            self._hear(live)
        return None

    def _hear(self, live: Turn) -> None:
        moment = live.occurred_at or at(self.minutes)
        session = str(live.session_id)
        if live.role is Role.USER and session not in self.user_spoke:
            self.open = {other for other in self.open if other == session or self.last[other] > moment}
        self.open.add(session)
        self.known.add(session)
        if live.role is Role.USER:
            self.user_spoke.add(session)
        self.last[session] = max(self.last.get(session, moment), moment)
        self.said.append((session, live.text, live.role))

    @invariant()
    def everything_said_is_recorded_once_and_in_order(self) -> None:
        recorded = [e.data for e in self.log.events if isinstance(e.data, EpisodeRecorded)]
        assert [(data.session_id, data.text, data.role) for data in recorded] == self.said

    @invariant()
    def the_same_sessions_are_open(self) -> None:
        state = self.log.states.get(ANNAS_SCOPE)
        assert set(state.open_sessions if state else ()) == self.open

    @invariant()
    def numbers_are_gapless_and_ids_unique(self) -> None:
        events = self.log.events
        assert [event.number for event in events] == list(range(1, len(events) + 1))
        assert len({event.event_id for event in events}) == len(events)

    @invariant()
    def a_session_is_started_before_it_is_completed_and_counts_its_turns(self) -> None:
        turns: dict[SessionId, int] = {}
        for event in self.log.events:
            match event.data:
                case SessionStarted(session_id=session, resumed=resumed):
                    assert resumed == (session in turns)
                    turns[session] = 0
                case EpisodeRecorded(session_id=session):
                    turns[session] += 1
                case SessionCompleted(session_id=session, turns=count):
                    assert count == turns[session]


TestRandomCommands = RandomCommands.TestCase
TestRandomCommands.settings = settings(max_examples=examples(40), stateful_step_count=25)
