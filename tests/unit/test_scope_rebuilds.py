"""At whatever moment ingest dies while it makes a person's rows anew: in the end they are those of a rebuild."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from services.ingest.eraser import Erased, receipt_event
from services.ingest.open_forgettings import unfinished
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from shared.contracts.command import Command
from shared.contracts.ids import Position, Slot
from shared.contracts.privacy import Forget, ForgettingCompleted, ForgetUser, Scan, TakeBack
from shared.contracts.subjects import SLOTS
from shared.runtime.projector import Recorded
from tests.support.commands import remember, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, ANNAS_SLOT, KEYS, SEND_ID, at

SISTER, WORK = Forget(query="Quixeldra"), Forget(query="Leeds")
SCAN = Scan(events=1, found=0, rejected=0, in_transit=0)


CHAT, BACK = user_says("Forget that."), TakeBack()


@pytest.mark.parametrize(
    "forgets",
    [[SISTER], [SISTER, WORK], [SISTER, ForgetUser()], [CHAT, BACK], [CHAT, BACK, SISTER], [CHAT, SISTER, BACK]],
    ids=["once", "twice", "all", "taken back", "taken back and another", "another and taken back"],
)
def test_a_death_in_the_rebuild_of_a_scope_changes_no_row(forgets: list[Command], tmp_path: Path) -> None:
    """Wherever the rows had come to, and wherever the checkpoint stood: the log is read on from there, then again."""
    store, log = Store(tmp_path / "live", KEYS.digester), _told(forgets)
    _apply(store, log.records)
    _apply(store, _completed(log))
    rebuilt = Store(tmp_path / "rebuilt", KEYS.digester)
    _apply(rebuilt, log.settled())
    places = range(0, len(log.records) + 1, 3)
    for made, read_from in product(places, places):
        _rebuild_scope(store, log.settled()[:made])
        _apply(store, log.records[read_from:])
        assert store.scopes_to_rebuild_in([ANNAS_SLOT])
        _rebuild_scope(store, log.settled())
        assert store.digest() == rebuilt.digest()
        assert not store.missing()
    store.close()
    rebuilt.close()


def _told(forgets: list[Command]) -> PaperLog:
    log = PaperLog()
    for number, words in enumerate(("My sister Quixeldra rows.", "I work in Leeds.", "I like tea.")):
        log.tell(user_says(words, "s1", message_id=f"m{number}"))
        log.tell(remember(words))
    for command in forgets:
        log.tell(command, now=at(1))
    log.records = [record._replace(slot=ANNAS_SLOT) for record in log.records]  # as the subject tells
    return log


def _completed(log: PaperLog) -> list[Recorded]:
    """Erase what is forgotten; the receipts, which are added to the log."""
    todo = unfinished(log.settled())
    position = log.records[-1].position
    log.erase()
    receipts: list[Recorded] = []
    for each in todo:
        receipt = ForgettingCompleted(forget_id=each.forget_id, erased=each.size, scan=SCAN)
        event = receipt_event(Erased(each.event, receipt), number=log.state.number + 1, now=at(2))
        position = Position(position + 1)
        receipts.append(Recorded(position, ANNAS_SCOPE, event, slot=ANNAS_SLOT))
        log.records.append(receipts[-1])
        log.states[ANNAS_SCOPE] = log.rebuilt()
    return receipts


def _projection(store: Store) -> IngestProjection:
    return IngestProjection(store, KEYS.digester, slots=[Slot(slot) for slot in range(SLOTS)], send_id=SEND_ID)


def _apply(store: Store, records: list[Recorded]) -> None:
    if records:
        _projection(store).apply(records, records[-1].position)


def _rebuild_scope(store: Store, records: list[Recorded]) -> None:
    store.wipe(ANNAS_SCOPE)
    _projection(store).apply(records, Position(0), is_rebuild=True)
