"""What a restored log lacks of forgettings is decided again: what is there goes, and all else is recognised."""

from __future__ import annotations

import pytest

from shared.contracts.errors import Forgotten
from shared.contracts.privacy import Forget, ForgetAgain, MemoryForgotten
from tests.support.commands import remember, user_says
from tests.support.paper import PaperLog

LAMP, LATER = "I own a Zorbiferlamp", "I moved to Grumblethorpe"


def kept_of(log: PaperLog) -> list[ForgetAgain]:
    """What a kept list has of the forgettings of a log."""
    forgettings = [event.data for event in log.events if isinstance(event.data, MemoryForgotten)]
    fields = {"by", "memory_ids", "commands", "values", "tombstones"}
    return [ForgetAgain(**{name: getattr(data, name) for name in fields}) for data in forgettings]


def test_what_came_back_is_forgotten_and_what_did_not_is_refused_when_it_comes() -> None:
    before, log = PaperLog(), PaperLog()
    for each in (before, log):
        each.tell(remember(LAMP, message_id="m1"))
    log.tell(user_says(LATER, message_id="m2"))
    lamp, later = list(log.words().told)
    for gone in (lamp, later):
        log.tell(Forget(memory_ids=(gone,)))
    for kept in kept_of(log):
        before.tell(kept)
    forgotten = [event.data for event in before.events if isinstance(event.data, MemoryForgotten)]
    assert [data.memory_ids for data in forgotten] == [(lamp,), (), ()]
    assert forgotten[0].numbers
    assert not before.words().told
    with pytest.raises(Forgotten):
        before.tell(user_says(LATER, message_id="m2"))


def test_of_a_person_of_whom_nothing_is_left_only_the_hashes_are_recorded() -> None:
    log = PaperLog()
    [event] = log.tell(ForgetAgain(by="memory", memory_ids=()))
    assert isinstance(event.data, MemoryForgotten)
    assert (event.data.memory_ids, event.data.numbers) == ((), ())
