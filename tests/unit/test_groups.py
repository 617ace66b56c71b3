import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ingest.command_group import CommandGroup, Decided, ReadMessage, batches, in_portions, read
from services.ingest.domain.state import ScopeState
from services.ingest.sent_message import SentMessage
from shared.contracts.commands import ImportTurns
from shared.contracts.envelope import Envelope
from shared.contracts.errors import IdReused, Malformed, UnknownSession
from shared.contracts.events import CommandRejected
from tests.support.commands import end, import_of, remember, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import ANNA, BEN, KEYS, SEND_ID
from tests.support.sent import delivery, sent

(EVENT,) = PaperLog().tell(remember())
SENT = sent(remember())

sizes = st.lists(st.integers(0, 30), max_size=20)


def decided(size: int) -> Decided:
    """A command of so many turns: only events of one turn must stay together."""
    turns = [EVENT.model_copy(update={"causation_id": f"{index:032x}"}) for index in range(size)]
    return Decided(SENT, user_says("hello"), turns)


def decided_anew(items: list[ReadMessage]) -> list[Decided]:
    """What becomes of the first messages of some persons."""
    group = CommandGroup(items)
    group.decide({scope: ScopeState() for scope in group.needs})
    assert not group.needs
    return group.decided


@given(sizes, st.integers(1, 12))
def test_batches_hold_every_event_in_order_and_never_too_many(events: list[int], most: int) -> None:
    packed = list(batches([decided(size) for size in events], most))
    assert all(0 < len(batch) <= most for batch in packed)
    assert sum(map(len, packed)) == sum(events)


@given(sizes, st.integers(1, 12))
def test_every_command_with_events_has_exactly_one_last_event(events: list[int], most: int) -> None:
    lasts = [packed.is_last for batch in batches([decided(size) for size in events], most) for packed in batch]
    expected = [index == size - 1 for size in events for index in range(size)]
    assert lasts == expected


@given(sizes, st.integers(1, 12))
def test_a_command_that_fits_is_never_split(events: list[int], most: int) -> None:
    ends = {0}
    for batch in batches([decided(size) for size in events], most):
        ends.add(max(ends) + len(batch))
    start = 0
    for size in events:
        if size <= most:
            assert not any(start < end < start + size for end in ends)
        start += size


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 12))
def test_portions_hold_everything_in_order_and_are_no_larger_than_they_must(turns: list[int], most: int) -> None:
    items = [ReadMessage(SENT, import_of([user_says()] * count) if count else IdReused()) for count in turns]
    portions = list(in_portions(items, most))
    assert [item for portion in portions for item in portion] == items
    for portion in portions:
        weights = [len(item.command.turns) if isinstance(item.command, ImportTurns) else 1 for item in portion]
        assert len(portion) == 1 or sum(weights) <= most


def test_a_command_sees_what_the_ones_before_it_in_its_group_did() -> None:
    commands = [user_says("one", message_id="m1"), user_says("one", message_id="m1"), end("s1"), end("s1")]
    items = [read(sent(command, sequence=index)) for index, command in enumerate(commands, start=1)]
    assert [result.verdict for result in decided_anew(items)] == [
        "recorded",
        "unchanged",
        "recorded",
        "unchanged",
    ]


def test_users_in_one_group_do_not_mix() -> None:
    items = [
        read(sent(user_says("hello", message_id="1"), sequence=index, user=user))
        for index, user in enumerate([ANNA, BEN, ANNA], start=1)
    ]
    results = decided_anew(items)
    assert [[event.number for event in result.events] for result in results] == [[1, 2], [1, 2], []]


def test_a_refused_command_leaves_a_numbered_trace_and_the_others_go_on() -> None:
    messages: list[SentMessage] = [
        sent(user_says("one", message_id="m1"), sequence=1),
        sent(user_says("two", message_id="m1"), sequence=2),
        SentMessage.read(delivery("user_message", b"{", sequence=3), keys=KEYS, send_id=SEND_ID),
        sent(end("nowhere"), sequence=4),
        sent(user_says("three"), sequence=5),
    ]
    items = [read(message) for message in messages]
    results = decided_anew(items)
    assert [type(result.refusal) for result in results] == [
        type(None),
        IdReused,
        Malformed,
        UnknownSession,
        type(None),
    ]
    events: list[Envelope] = [event for result in results for event in result.events]
    assert [event.number for event in events] == [1, 2, 3, 4, 5, 6]
    assert [event.data.code for event in events if isinstance(event.data, CommandRejected)] == [
        "id_reused",
        "malformed",
        "unknown_session",
    ]


def test_the_name_of_an_unknown_command_does_not_enter_the_log() -> None:
    message = SentMessage.read(delivery("my_secret", b"{}"), keys=KEYS, send_id=SEND_ID)
    (result,) = decided_anew([read(message)])
    (event,) = result.events
    assert event.data == CommandRejected(what="unknown", code="unknown_type")
    assert b"secret" not in event.encode()


def test_two_refusals_of_one_id_have_two_events() -> None:
    items = [ReadMessage(sent(user_says("one", message_id="m1"), sequence=index), Malformed()) for index in (1, 2)]
    one, other = decided_anew(items)
    assert one.events[0].event_id != other.events[0].event_id


def told_by(**headers: str) -> tuple[str | None, str]:
    named = {f"Memstream-{name}": value for name, value in headers.items()}
    message = SentMessage.read(delivery("user_message", b"{}", headers=named), keys=KEYS, send_id=SEND_ID)
    given_ = message.circumstances_of(message.delivery_id)
    return given_.actor.name, given_.correlation_id


@pytest.mark.parametrize("name", ["concierge", "http/of-anna", "anna@example.org"])
def test_an_actor_is_kept_where_it_is_a_name(name: str) -> None:
    assert told_by(Actor=name)[0] == name


@pytest.mark.parametrize("name", ["my son Tom is ill", "b" * 129, "Tom\tis", "\u202etom", "Zoë", "\ud83d", ""])
def test_an_actor_that_is_no_name_is_left_out(name: str) -> None:
    assert told_by(Actor=name)[0] is None


@pytest.mark.parametrize("correlation", ["513614e4-e8c6-48fe-a411-bb783e9ff831", "513614E4E8C648FEA411BB783E9FF831"])
def test_a_correlation_is_kept_where_it_is_a_uuid(correlation: str) -> None:
    assert told_by(Correlation=correlation)[1] == correlation


@pytest.mark.parametrize("correlation", ["the-talk-about-Tom", "0171 2345678", "c" * 300, "tom\tis", "\ud83d", "Zoë"])
def test_any_other_correlation_is_kept_as_a_hash_equal_for_equal_ones(correlation: str) -> None:
    kept = told_by(Correlation=correlation)[1]
    assert kept == told_by(Correlation=correlation)[1] != told_by(Correlation=correlation + "x")[1]
    assert kept.isascii()
    assert correlation not in kept


def test_without_headers_the_command_is_its_own_correlation() -> None:
    message = sent(user_says())
    given_ = message.circumstances_of(message.delivery_id)
    assert given_.correlation_id == message.delivery_id
    assert given_.actor.name is None
