"""How far an erasure has come is told of each forgetting alone."""

from __future__ import annotations

from services.ingest.eraser import progress, unfinished
from shared.contracts.privacy import Forget, ForgetUser
from tests.support.commands import remember
from tests.support.paper import PaperLog

SAYINGS = ("I row boats.", "Cleo sings.", "I work in Leeds.")


def _told() -> PaperLog:
    log = PaperLog()
    for words in SAYINGS:
        log.tell(remember(words))
    return log


def test_what_is_gone_of_one_forgetting_does_not_count_for_another() -> None:
    log = _told()
    log.tell(Forget(query="Cleo"))
    log.tell(Forget(query="boats"))
    cleo, boats = (each.forget_id for each in unfinished(log.records))
    doomed = [log.events[0], log.events[1]]
    gone_after = progress(unfinished(log.records), doomed)
    assert [gone_after(count) for count in range(3)] == [{cleo: 0, boats: 0}, {cleo: 0, boats: 1}, {cleo: 1, boats: 1}]


def test_what_an_earlier_try_erased_counts() -> None:
    log = _told()
    log.tell(ForgetUser())
    [everything] = unfinished(log.records)
    events = log.events[:-1]
    first_try = progress([everything], events)
    second_try = progress([everything], events[2:])
    assert second_try(0) == first_try(2)
    assert second_try(len(events) - 2) == first_try(len(events)) == {everything.forget_id: everything.size}
