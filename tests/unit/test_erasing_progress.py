"""How far an erasure has come is told of each forgetting alone."""

from __future__ import annotations

from services.ingest.eraser import progress
from services.ingest.open_forgettings import unfinished
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
    cleo, boats = unfinished(log.records)
    gone = progress({1: [boats], 2: [cleo], 3: [cleo, boats]})
    assert gone(1) == {boats.forget_id: boats.size - 1}
    assert gone(3) == {cleo.forget_id: cleo.size - 1, boats.forget_id: boats.size}
    assert gone(2) == {cleo.forget_id: cleo.size}


def test_what_an_earlier_try_erased_counts() -> None:
    log = _told()
    log.tell(ForgetUser())
    [everything] = unfinished(log.records)
    events = range(len(log.events) - 1)
    first_try, second_try = (progress({at: [everything] for at in left}) for left in (events, events[2:]))
    told = [first_try(at) for at in events]
    assert [second_try(at) for at in events[2:]] == told[2:]
    assert told[-1] == {everything.forget_id: everything.size}
