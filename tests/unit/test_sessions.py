"""Source: ../reference/memory-system.md, "Session consolidation trigger"; architecture, events."""

import pytest

from shared.contracts.errors import UnknownSession
from shared.contracts.parts import Role
from tests.support.commands import agent_says, end, import_of, system_says, user_says
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
    ).then(started("then"), episode("long ago", "then"))


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
    ).then(started("s1"), episode("one", "s1"), completed("s1"), started("s2"), episode("two", "s2"))


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
