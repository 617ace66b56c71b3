"""Threads take turns often while somebody waits for this process, and seldom while it only works."""

from dataclasses import dataclass, field

import pytest

from shared.runtime import attention, background, import_watch
from shared.runtime.attention import Attention
from shared.runtime.background import Background
from shared.runtime.import_watch import ImportWatch
from shared.runtime.switch_interval import SwitchInterval

_SHORT, _LONG = 0.0001, 0.001


@dataclass
class Switches:
    """A switch interval by a clock that is set, and what it was set to."""

    now: float = 10.0
    applied: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.interval = SwitchInterval(self.applied.append, lambda: self.now)


@pytest.fixture
def switches(monkeypatch: pytest.MonkeyPatch) -> Switches:
    """Those of this process, begun."""
    made = Switches()
    for module in (attention, background, import_watch):
        monkeypatch.setattr(module, "SWITCHES", made.interval)
    made.interval.begin()
    return made


def test_nothing_is_changed_before_a_service_begins() -> None:
    made = Switches()
    made.interval.note_work()
    made.interval.note_awaited()
    assert not made.applied
    made.interval.begin()
    assert made.applied == [_SHORT]


def test_work_that_nobody_waits_for_has_longer_turns_a_second_after_the_last_who_waited() -> None:
    made = Switches()
    made.interval.begin()
    made.interval.note_awaited()
    made.now += 0.9
    made.interval.note_work()
    assert made.applied == [_SHORT]
    made.now += 0.2
    made.interval.note_work()
    made.interval.note_work()
    assert made.applied == [_SHORT, _LONG], "it is set once, however much work there is"


def test_whoever_asks_or_speaks_ends_them_at_once(switches: Switches) -> None:
    for note in (Attention().note_question, ImportWatch().note_live):
        switches.interval.note_work()
        assert switches.applied[-1] == _LONG
        note()
        assert switches.applied[-1] == _SHORT
        switches.now += 2


async def test_what_is_done_in_the_background_is_such_work(switches: Switches) -> None:
    assert await Background().run_at_once(lambda: switches.applied[-1]) == _LONG
    switches.interval.note_awaited()
    assert await Background().run(lambda: switches.applied[-1]) == _SHORT


async def test_so_is_a_flood_that_is_done_in_pieces_beside_the_event_loop(switches: Switches) -> None:
    await Background().give_way(0.0)
    assert switches.applied == [_SHORT, _LONG]
