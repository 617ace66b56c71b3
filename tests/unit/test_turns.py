"""Idempotence by (scope, what, message_id), for ever; numbers and ids of events."""

from hypothesis import given as for_all
from hypothesis import strategies as st

from shared.contracts.commands import Turn
from shared.contracts.errors import IdReused
from shared.contracts.events import CommandRejected, EpisodeRecorded, FactRemembered
from shared.contracts.ids import Space
from shared.contracts.parts import Role
from tests.support.commands import agent_says, recall, remember, system_says, user_says
from tests.support.paper import PaperLog
from tests.support.rules import Fact, episode, fact, given, nothing, rejected, started
from tests.support.scopes import ANNA, ANNAS_SCOPE, BEN, KEYS, SPACE, T0, at

HELLO = user_says("hello", "s1", message_id="m1")


def test_the_same_message_twice_is_recorded_once() -> None:
    given(Fact(started("s1"), by=HELLO), Fact(episode("hello", "s1"), by=HELLO)).when(HELLO).then(nothing)


def test_the_same_message_may_come_again_with_other_metadata() -> None:
    again = user_says("hello", "s1", message_id="m1", metadata={"try": 2}, speaker="Anna")
    given(Fact(started("s1"), by=HELLO), Fact(episode("hello", "s1"), by=HELLO)).when(again).then(nothing)


def test_the_same_id_with_other_words_is_refused() -> None:
    given(Fact(started("s1"), by=HELLO), Fact(episode("hello", "s1"), by=HELLO)).when(
        user_says("goodbye", "s1", message_id="m1")
    ).then(rejected(IdReused))


def test_the_same_words_without_an_id_are_said_twice() -> None:
    given(started("s1"), episode("hello", "s1")).when(user_says("hello", "s1")).then(episode("hello", "s1"))


def test_a_refused_id_may_come_again_corrected() -> None:
    log = PaperLog()
    log.refuse(user_says("too long", message_id="m1"), IdReused())
    assert [type(event.data) for event in log.tell(user_says("short", message_id="m1"))][-1] is EpisodeRecorded


def test_an_event_of_a_refusal_holds_no_text() -> None:
    log = PaperLog()
    log.refuse(user_says("my secret", message_id="m1"), IdReused())
    named = KEYS.digester.command_id(ANNAS_SCOPE, "user_message", "m1")
    assert log.events[0].data == CommandRejected(what="user_message", code="id_reused", command_id=named)
    assert b"secret" not in log.events[0].encode()


def test_every_role_may_use_the_same_id() -> None:
    log = PaperLog()
    for says in (user_says, agent_says, system_says):
        log.tell(says("hello", message_id="1"))
    assert [event.data.role for event in log.events if isinstance(event.data, EpisodeRecorded)] == list(Role)


def test_two_users_may_use_the_same_id() -> None:
    log = PaperLog()
    for user in (ANNA, BEN):
        log.tell(user_says(f"I am {user}", message_id="1"), user=user)
    assert [event.user for event in log.events if isinstance(event.data, EpisodeRecorded)] == [ANNA, BEN]
    assert len({event.event_id for event in log.events}) == len(log.events)


def test_one_user_may_use_the_same_id_in_two_spaces() -> None:
    log = PaperLog()
    for space in (SPACE, Space("work")):
        log.tell(user_says(f"in {space}", message_id="1"), space=space)
    assert [event.space for event in log.events if isinstance(event.data, EpisodeRecorded)] == [SPACE, "work"]


def test_a_turn_and_a_fact_may_use_the_same_id() -> None:
    log = PaperLog()
    log.tell(user_says("hello", message_id="1"))
    assert len(log.tell(remember("Anna says hello", message_id="1"))) == 1


def test_a_fact_is_remembered_as_told() -> None:
    given().when(remember("Post for Ben goes to ben@example.org")).then(fact("Post for Ben goes to ben@example.org"))


def test_a_told_fact_counts_as_saved_by_hand_and_keeps_what_came_with_it() -> None:
    (event,) = PaperLog().tell(remember(tags=("drink",), source_ids=("ep_1",), occurred_at=at(-5)))
    assert isinstance(event.data, FactRemembered)
    assert (event.data.manually_saved, event.data.tags[0], event.data.source_ids) == (True, "drink", ("ep_1",))
    assert event.occurred_at == at(-5)


def test_the_same_fact_twice_is_remembered_once() -> None:
    told = remember(message_id="f1")
    given(Fact(fact(), by=told)).when(told).then(nothing)


def test_an_id_of_a_fact_cannot_stand_for_another_fact() -> None:
    told = remember(message_id="f1")
    given(Fact(fact(), by=told)).when(remember("Anna likes coffee", message_id="f1")).then(rejected(IdReused))


def test_a_recall_is_recorded_once() -> None:
    log = PaperLog()
    assert [event.type for event in log.tell(recall("rec_1"))] == ["memories_recalled"]
    assert log.tell(recall("rec_1")) == []


def test_a_turn_keeps_the_senders_words_and_moments() -> None:
    *_, event = PaperLog().tell(user_says(" as  it came ", occurred_at=at(-9), speaker="Anna", metadata={"k": [1]}))
    assert isinstance(event.data, EpisodeRecorded)
    assert (event.data.text, event.data.speaker, event.data.metadata) == (" as  it came ", "Anna", {"k": [1]})
    assert (event.occurred_at, event.recorded_at) == (at(-9), T0)


def test_a_turn_without_a_moment_happened_when_it_was_sent() -> None:
    assert {event.occurred_at for event in PaperLog().tell(user_says(), now=at(3))} == {at(3)}


commands = st.lists(
    st.builds(
        lambda says, text, session, key: says(text, session, message_id=key),
        st.sampled_from([user_says, agent_says, system_says]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["s1", "s2", "s3"]),
        st.none() | st.sampled_from(["1", "2", "3", "4"]),
    ),
    max_size=12,
)


def told(turns: list[Turn]) -> PaperLog:
    log = PaperLog()
    for turn in turns:
        try:
            log.tell(turn)
        except IdReused as error:
            log.refuse(turn, error)
    return log


@for_all(commands)
def test_numbers_have_no_gap(turns: list[Turn]) -> None:
    events = told(turns).events
    assert [event.number for event in events] == list(range(1, len(events) + 1))


@for_all(commands)
def test_event_ids_and_memory_ids_are_unique_and_the_same_at_every_try(turns: list[Turn]) -> None:
    one, other = told(turns).events, told(turns).events
    assert one == other
    assert len({event.event_id for event in one}) == len(one)


@for_all(commands)
def test_what_was_decided_once_is_decided_to_nothing(turns: list[Turn]) -> None:
    log = told(turns)
    before = list(log.events)
    for turn in turns:
        if turn.message_id:
            try:
                log.tell(turn)
            except IdReused:
                continue
    assert log.events == before


def test_ids_derive_from_the_command_not_from_the_clock_or_the_place_in_the_log() -> None:
    early, late = PaperLog(), PaperLog()
    late.tell(remember("something before"), now=at(-99))
    one, other = early.tell(HELLO), late.tell(HELLO, now=at(99))
    assert [event.event_id for event in one] == [event.event_id for event in other]
    assert [event.number for event in one] != [event.number for event in other]
