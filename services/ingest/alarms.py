"""Alarms for the operator: counted, and written into the process's log, without text of users."""

from collections import Counter
from collections.abc import Sequence

from services.ingest.command_group import EventToAppend
from shared.contracts.events import CapacityExceeded
from shared.runtime.logs import log
from shared.runtime.metrics import CAPACITY_EXCEEDED, EVENTS_APPENDED


def tell_appended(batch: Sequence[EventToAppend]) -> None:
    """Count appended events, and raise the alarms that they call for."""
    for event_type, count in Counter([event.type for _, event, _ in batch]).items():
        EVENTS_APPENDED.labels(event_type).inc(count)
    for sent, event, _ in batch:
        if isinstance(event.data, CapacityExceeded):
            CAPACITY_EXCEEDED.inc()
            log.warning("capacity.exceeded", scope=sent.scope, live=event.data.live, cap=event.data.cap)
