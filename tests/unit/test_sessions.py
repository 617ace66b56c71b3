"""Source: ../reference/memory-system.md, "Session consolidation trigger"; architecture, events."""

import pytest

from shared.contracts.commands import Turn
from shared.contracts.errors import UnknownSession
from shared.contracts.event import EventData
from shared.contracts.events import SessionCompleted
from shared.contracts.parts import Role
from tests.support.commands import agent_says, end, import_of, sweep, system_says, user_says
from tests.support.rules import Fact, completed, episode, given, nothing, rejected, started
from tests.support.scopes import at


def test_the_first_turn_starts_its_session() -> None:
    given().when(user_says("hello", "s1")).then(started("s1"), episode("hello", "s1"))


def test_a_further_turn_starts_nothing() -> None:
    given(started("s1"), episode("hello", "s1")).when(agent_says("hi", "s1")).then(episode("hi", "s1", role=Role.ASSISTANT))


def test_the_users_first_word_elsewhere_completes_every_earlier_open_session_at_once() -> None:
    given(
        started("s2"),
        episode("one", "s2", role=Role.ASSISTANT),
        started("s1"),
        episode("one", "s1"),
        episode("two", "s1", role=Role.ASSISTANT),
    ).when(user_says("bye", "s3")).then(completed("s1", turns=2), completed("s2", turns=1), started("s3"), episode("bye", "s3"))


@pytest.mark.parametrize(("says", "role"), [(agent_says, Role.ASSISTANT), (system_says, Role.SYSTEM)])
def test_only_the_users_own_word_switches_sessions(says: type, role: Role) -> None:
    given(started("s1"), episode("hello", "s1")).when(says("welcome", "s2")).then(
        started("s2"), episode("welcome", "s2", role=role)
    )


def test_a_session_that_the_agent_began_switches_when_the_user_first_speaks_in_it() -> None:
    given(
        started("s1"),
        episode("hello", "s1"),
        started("s2"),
        episode("welcome", "s2", role=Role.ASSISTANT),
    ).when(user_says("thanks", "s2")).then(completed("s1"), episode("thanks", "s2"))


def test_going_on_in_an_open_session_completes_no_other() -> None:
    given(started("s1"), episode("hello", "s1"), started("s2"), episode("hi", "s2", role=Role.ASSISTANT)).when(
        user_says("and", "s1")
    ).then(episode("and", "s1"))


def test_a_completed_session_is_resumed_by_a_later_turn() -> None:
    given(started("s1"), episode("hello", "s1"), completed("s1", reason="ended")).when(user_says("one more", "s1")).then(
        started("s1", resumed=True), episode("one more", "s1")
    )


def test_a_resumed_session_counts_its_turns_anew() -> None:
    given(
        started("s1"),
        episode("hello", "s1"),
        completed("s1", reason="ended"),
        started("s1", resumed=True),
        episode("again", "s1"),
    ).when(end("s1")).then(completed("s1", turns=1, reason="ended"))


def test_importing_the_past_ends_nothing_of_the_present() -> None:
    given(started("now"), Fact(episode("hello", "now"), at=at(60))).when(
        import_of([user_says("long ago", "then", occurred_at=at(-60))]), now=at(61)
    ).then(started("then"), episode("long ago", "then", imported=True))


def test_a_word_at_the_very_moment_of_the_last_turn_switches() -> None:
    given(started("s1"), Fact(episode("hello", "s1"), at=at(1))).when(user_says("bye", "s2"), now=at(1)).then(
        completed("s1"), started("s2"), episode("bye", "s2")
    )


def test_what_was_sent_late_counts_by_the_moment_when_it_was_said() -> None:
    given(started("s1"), Fact(episode("hello", "s1"), at=at(5))).when(
        user_says("before", "s2", occurred_at=at(4)), now=at(9)
    ).then(started("s2"), episode("before", "s2"))


def test_an_import_switches_between_its_own_sessions() -> None:
    given().when(
        import_of([user_says("one", "s1", occurred_at=at(1)), user_says("two", "s2", occurred_at=at(2))]), now=at(9)
    ).then(
        started("s1"),
        episode("one", "s1", imported=True),
        completed("s1"),
        started("s2"),
        episode("two", "s2", imported=True),
    )


def test_a_session_ends_by_command() -> None:
    given(started("s1"), episode("hello", "s1"), episode("hi", "s1", role=Role.ASSISTANT)).when(end("s1")).then(
        completed("s1", turns=2, reason="ended")
    )


def test_ending_a_completed_session_changes_nothing() -> None:
    given(started("s1"), episode("hello", "s1"), completed("s1", reason="ended")).when(end("s1")).then(nothing)


def test_ending_a_session_twice_under_one_id_changes_nothing_even_after_it_was_resumed() -> None:
    given(
        started("s1"),
        episode("hello", "s1"),
        Fact(completed("s1", reason="ended"), by=end("s1", message_id="e1")),
        started("s1", resumed=True),
        episode("again", "s1"),
    ).when(end("s1", message_id="e1")).then(nothing)


def test_an_unknown_session_cannot_be_ended() -> None:
    given(started("s1"), episode("hello", "s1")).when(end("s2")).then(rejected(UnknownSession))


def said(session: str, minutes: float, *, role: Role = Role.USER, recorded: float | None = None) -> Fact:
    """A turn that was said, and recorded, so many minutes after T0."""
    return Fact(episode("hm", session, role=role), at=at(minutes), recorded_at=at(minutes if recorded is None else recorded))


def test_a_sweep_completes_what_is_silent_and_nothing_else() -> None:
    given(started("s1"), said("s1", 1), said("s1", 2, role=Role.ASSISTANT), started("s2"), said("s2", 5)).when(
        sweep(at(4)), now=at(9)
    ).then(completed("s1", turns=2, reason="idle"))


def test_a_sweep_says_which_sweep_it_was() -> None:
    given(started("s1"), said("s1", 1)).when(sweep(at(4), reason="swept")).then(completed("s1", reason="swept"))


def test_a_sweep_of_named_sessions_completes_no_other() -> None:
    given(started("s1"), said("s1", 1), started("s2"), said("s2", 1)).when(sweep(at(4), "s2", "s3")).then(
        completed("s2", reason="idle")
    )


def test_a_word_said_meanwhile_keeps_the_session_open() -> None:
    given(started("s1"), said("s1", 1), said("s1", 3)).when(sweep(at(3), "s1"), now=at(4)).then(nothing)


def test_a_late_message_recorded_meanwhile_keeps_the_session_open() -> None:
    given(started("s1"), said("s1", 1), said("s1", 0.5, recorded=3)).when(sweep(at(2), "s1"), now=at(4)).then(nothing)


def test_a_session_of_the_past_is_silent_since_it_was_recorded() -> None:
    long_ago = -1_000_000
    given(started("s1"), said("s1", long_ago, recorded=5)).when(sweep(at(5), "s1"), now=at(6)).then(nothing)
    given(started("s1"), said("s1", long_ago, recorded=5)).when(sweep(at(5.1), "s1"), now=at(6)).then(
        completed("s1", reason="idle")
    )


@pytest.mark.parametrize("session", ["s1", "never seen"])
def test_sweeping_what_is_completed_or_unknown_changes_nothing(session: str) -> None:
    given(started("s1"), said("s1", 1), completed("s1", reason="ended")).when(sweep(at(4), session)).then(nothing)


def test_a_sweep_that_comes_twice_completes_no_resumed_session() -> None:
    once = sweep(at(4), "s1", message_id="idle/2")
    given(
        started("s1"), said("s1", 1), Fact(completed("s1", reason="idle"), by=once), started("s1", resumed=True), said("s1", 3)
    ).when(once, now=at(9)).then(nothing)


def test_one_sweep_completes_at_most_what_fits_into_one_append() -> None:
    past = [fact for n in range(501) for fact in (started(f"s{n:03}"), said(f"s{n:03}", 1))]
    swept = given(*past).when(sweep(at(4))).events()
    ended = [event.data.session_id for event in swept if isinstance(event.data, SessionCompleted)]
    assert ended == [f"s{n:03}" for n in range(500)]


CURRENT = (started("old"), said("old", 0), completed("old"), started("now"), said("now", 60))
RESUMED = started("old", resumed=True)
LATE = {
    "for the completed session, late": (user_says("x", "old", occurred_at=at(1)), (RESUMED, episode("x", "old"))),
    "for the completed session, not late": (user_says("x", "old", occurred_at=at(70)), (RESUMED, episode("x", "old"))),
    "the bot's, for the completed session": (
        agent_says("x", "old", occurred_at=at(1)),
        (RESUMED, episode("x", "old", role=Role.ASSISTANT)),
    ),
    "for the current session, late": (user_says("x", "now", occurred_at=at(50)), (episode("x", "now"),)),
    "of a session never seen, older than the current one": (
        user_says("x", "lost", occurred_at=at(59)),
        (started("lost"), episode("x", "lost")),
    ),
    "of a session never seen, older than the completed one": (
        user_says("x", "lost", occurred_at=at(-9)),
        (started("lost"), episode("x", "lost")),
    ),
    "of a session never seen, newer": (
        user_says("x", "new", occurred_at=at(61)),
        (completed("now"), started("new"), episode("x", "new")),
    ),
}


@pytest.mark.parametrize(("late", "expected"), LATE.values(), ids=LATE)
def test_a_late_message_lands_in_its_session_and_ends_only_what_is_older(late: Turn, expected: tuple[EventData, ...]) -> None:
    given(*CURRENT).when(late, now=at(99)).then(expected)


def test_a_late_message_completes_those_open_sessions_that_are_older_than_it() -> None:
    given(started("a"), said("a", 0, role=Role.ASSISTANT), started("b"), said("b", 9)).when(
        user_says("x", "late", occurred_at=at(5)), now=at(99)
    ).then(completed("a"), started("late"), episode("x", "late"))


def test_a_late_message_does_not_move_its_session_back_in_time() -> None:
    given(started("s1"), said("s1", 60), said("s1", 1)).when(user_says("x", "s2", occurred_at=at(30)), now=at(99)).then(
        started("s2"), episode("x", "s2")
    )
