"""Alarms for the operator: counted, and written into the process's log, without text of users."""

from shared.contracts.envelope import Envelope
from shared.contracts.events import CapacityExceeded
from shared.contracts.ids import Scope
from shared.runtime.logs import log
from shared.runtime.metrics import CAPACITY_EXCEEDED


def raise_alarm(scope: Scope, event: Envelope) -> None:
    """Raise the alarm that an event of the log calls for, if any."""
    if isinstance(event.data, CapacityExceeded):
        CAPACITY_EXCEEDED.inc()
        log.warning("capacity.exceeded", scope=scope, live=event.data.live, cap=event.data.cap)
