"""What a lane lets wait: whose that is, and when a flood's rest ends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

import pytest

from services.ingest.computing import most_at_once
from services.ingest.import_pace import ImportPace
from services.ingest.sent_message import SentMessage
from services.ingest.waiting import WaitingMessages
from shared.runtime.attention import Attention
from shared.runtime.background import BACKGROUND
from tests.support.commands import embed_together


class _Sent:
    """As much of a sent message as waiting looks at."""

    def __init__(self, user: str, what: str, *, is_live: bool, can_wait: bool, data: bytes) -> None:
        self.space, self.user, self.is_live, self.can_wait = "home", user, is_live, can_wait
        self.subject = type("Subject", (), {"what": what})
        self.delivery = type("Delivery", (), {"sequence": 1, "data": data})


def sent(
    user: str, what: str = "user_message", *, is_live: bool = True, can_wait: bool = False, data: bytes = b"hello"
) -> SentMessage:
    return cast("SentMessage", _Sent(user, what, is_live=is_live, can_wait=can_wait, data=data))


@pytest.fixture
def attention(monkeypatch: pytest.MonkeyPatch) -> Attention:
    """Who asks, at a moment that does not pass."""
    asked = Attention(lambda: 0.0)
    monkeypatch.setattr(BACKGROUND, "attention", asked)
    return asked


def test_whoever_says_something_after_a_while_breaks_a_silence() -> None:
    now = [0.0]
    waiting = WaitingMessages(lambda: now[0])
    for user, moment, broken in (("ada", 0, 1), ("ada", 0.5, 1), ("ada", 1.4, 1), ("bob", 1.4, 2), ("ada", 2.4, 3)):
        now[0] = moment
        waiting.wait_for(sent(user))
        assert waiting.broken_silences == broken
    now[0] = 9.0
    waiting.wait_for(sent("ada", is_live=False))
    waiting.wait_for(sent("ada", can_wait=True, is_live=False))
    assert waiting.broken_silences == 3


def test_beside_a_question_recalls_are_decided_together_and_turns_and_vectors_are_not(attention: Attention) -> None:
    attention.note_question("home", "ada")
    for what, together in (("user_message", 2), ("attach_embedding", 2), ("record_recall", 16)):
        waiting = WaitingMessages(lambda: 0.0)
        for user in range(20):
            waiting.wait_for(sent(f"user-{user}", what, is_live=False))
        assert len(waiting.take(32, most_bytes=9_999, most_weight=most_at_once(32))) == together


def test_beside_a_question_vectors_that_come_in_one_message_count_as_many(attention: Attention) -> None:
    attention.note_question("home", "ada")
    vectors = embed_together("fact_a", "fact_b").model_dump_json(exclude_defaults=True).encode()
    waiting = WaitingMessages(lambda: 0.0)
    for user in ("bob", "cleo"):
        waiting.wait_for(sent(user, "attach_embedding", is_live=False, data=vectors))
    assert len(waiting.take(32, most_bytes=9_999, most_weight=most_at_once(32))) == 1


def test_what_waits_is_loud_where_others_ask(attention: Attention) -> None:
    waiting = WaitingMessages(lambda: 0.0)
    assert not waiting.is_loud
    waiting.wait_for(sent("ada"))
    assert not waiting.is_loud
    attention.note_question("home", "ada")
    assert not waiting.is_loud
    attention.note_question("home", "bob")
    assert waiting.is_loud
    waiting.wait_for(sent("bob", can_wait=True))
    assert waiting.is_loud


async def _rested(come: Callable[[WaitingMessages], object]) -> list[float]:
    """How long a lane with a flood was told to take in what comes, each time, where this comes first."""
    waiting, asked = WaitingMessages(lambda: 0.0), list[float]()
    for _ in range(3):
        waiting.wait_for(sent("loud"))

    def within(seconds: float) -> Awaitable[None]:
        asked.append(seconds)
        return _taken_in()

    async def _taken_in() -> None:
        if len(asked) == 1:
            come(waiting)
        else:
            BACKGROUND.attention = Attention(lambda: 0.0)  # nobody asks any more

    BACKGROUND.note_question("home", "ada")
    await ImportPace().rest("lane", 0.01, waiting, within)
    return asked


@pytest.mark.usefixtures("attention")
@pytest.mark.parametrize(("user", "looks"), [("quiet", 1), ("loud", 2)])
async def test_who_had_been_quiet_ends_the_rest_of_a_flood_and_the_flood_does_not(user: str, looks: int) -> None:
    assert len(await _rested(lambda waiting: waiting.wait_for(sent(user)))) == looks
