"""What a bot sends through the gate: in order, a part at a time, up to a bound."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from shared.runtime import outbox
from shared.runtime.outbox import Outbox, Relayed


def message(text: str) -> Relayed:
    return Relayed(cast("Any", SimpleNamespace(data=text.encode())), f"send.a.b.{text}", {})


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"_UNDER_WAY": 2, "_MOST_WAITING": 3, "_MOST_BYTES": 10}.items():
        monkeypatch.setattr(outbox, name, value)


def started(box: Outbox, now_s: float = 0.0) -> dict[str, str]:
    """What begins now: token and subject."""
    begun = {}
    while found := box.begin(now_s):
        begun[found[0]] = found[1].subject.rpartition(".")[2]
    return begun


def test_messages_go_in_order_and_the_next_when_one_is_acknowledged() -> None:
    box = Outbox()
    assert all(box.add(message(text)) for text in "abc")
    first, second = started(box).items()
    assert (first[1], second[1]) == ("a", "b")
    ended = box.end(second[0])
    assert ended is not None
    assert ended.subject == "send.a.b.b"
    assert list(started(box).values()) == ["c"]


def test_what_is_never_acknowledged_makes_room_after_a_while() -> None:
    box = Outbox()
    assert all(box.add(message(text)) for text in "abc")
    tokens = list(started(box))
    assert started(box, 9.0) == {}
    assert list(started(box, 11.0).values()) == ["c"]
    assert box.end(tokens[0]) is None


def test_too_many_messages_and_too_many_bytes_are_not_taken() -> None:
    box = Outbox()
    assert [box.add(message(text)) for text in "abcd"] == [True, True, True, False]
    started(box)
    assert [box.add(message("x" * 9)), box.add(message("y" * 2))] == [True, False]


def test_while_others_are_answered_a_bot_has_so_much_at_once_and_then_so_much_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"_UNDER_WAY": 99, "_MOST_WAITING": 99, "_AT_ONCE_S": 1.0, "_MESSAGE_S": 0.5, "_BYTE_S": 0.25}.items():
        monkeypatch.setattr(outbox, name, value)
    box = Outbox()
    assert all(box.add(message(text)) for text in ("ab", "c", "de", "f"))
    rests = []
    for _ in range(4):
        rests.append(box.rest_s(100.0))
        box.begin(100.0)
    assert rests == [0.0, 0.0, 0.75, 1.75]
    assert box.rest_s(100.0) == 0.0, "nothing waits"
    assert box.add(message("g"))
    assert (box.rest_s(100.0), box.rest_s(101.5), box.rest_s(999.0)) == (2.5, 1.0, 0.0)
