"""Which vectors are sent in one message."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from services.maintenance.attachments import MOST_TOGETHER, Embedded, attachments
from services.maintenance.store import Unembedded
from shared.contracts.ids import MemoryId, Position, User
from tests.support.commands import remember
from tests.support.paper import PaperLog
from tests.support.scopes import ANNA, BEN, scope_of


def made(*names: str, user: User = ANNA, can_wait: bool = True) -> list[Embedded]:
    (event,) = PaperLog().tell(remember("tea"), user=user)
    vector = np.asarray([1.0, 0.0], np.float32)
    return [(Unembedded(scope_of(user), MemoryId(name), Position(1), 0, can_wait=can_wait), event, vector) for name in names]


def sent(vectors: Sequence[Embedded], most: int = MOST_TOGETHER) -> list[tuple[str, list[str]]]:
    """Of whom the memories of each message are."""
    return [(event.user, list(command.memories)) for event, command in attachments(vectors, "m", most=most)]


def test_vectors_of_a_person_that_can_wait_are_sent_together() -> None:
    anna, ben = made("a", "b"), made("c", user=BEN)
    assert sent([anna[0], *ben, anna[1]]) == [(ANNA, ["a", "b"]), (BEN, ["c"])]


def test_no_message_has_more_than_its_contract_allows() -> None:
    names = [f"memory-{index}" for index in range(MOST_TOGETHER + 1)]
    assert sent(made(*names)) == [(ANNA, names[:-1]), (ANNA, names[-1:])]


def test_what_was_said_live_is_sent_alone_and_beside_a_question_everything() -> None:
    live = made("a", "b", can_wait=False)
    assert sent([*live, *made("c", "d")]) == [(ANNA, ["a"]), (ANNA, ["b"]), (ANNA, ["c", "d"])]
    assert sent(made("a", "b"), most=1) == [(ANNA, ["a"]), (ANNA, ["b"])]


def test_a_vector_has_the_message_id_that_it_has_alone() -> None:
    (_, together), (_, alone) = [*attachments(made("a", "b"), "m", most=2), *attachments(made("b"), "m", most=2)]
    assert [each.message_id for each in together.further] == [alone.message_id]
