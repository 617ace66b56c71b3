"""`verify` reads a log event by event: what forgetting leaves behind is no damage."""

from __future__ import annotations

from memstream.cli.verify import Findings
from services.ingest.own_events import own_event
from shared.contracts.commands import RememberFact
from shared.contracts.envelope import Envelope
from shared.contracts.ids import Position, Scope
from shared.contracts.privacy import ForgettingCompleted, ForgetUser, Scan, UserForgotten
from shared.runtime.eventlog.read import Record
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, KEYS, T0


def _found(events: list[Envelope], scope: Scope = ANNAS_SCOPE) -> list[str]:
    findings = Findings(KEYS)
    for position, event in enumerate(events, start=1):
        headers: dict[str, str] = {"Nats-Msg-Id": event.event_id}
        findings.check(Record(Position(position), scope, event.model_dump_json().encode(), headers))
    findings.close()
    return findings.problems


def _forgotten() -> list[Envelope]:
    """What is left of somebody who was forgotten as a whole: it names nobody."""
    log = PaperLog()
    log.tell(RememberFact(text="Anna likes tea"))
    [forgotten] = log.tell(ForgetUser())
    assert isinstance(forgotten.data, UserForgotten)
    receipt = ForgettingCompleted(
        forget_id=forgotten.data.forget_id, erased=1, scan=Scan(events=1, found=0, rejected=0, in_transit=0)
    )
    return [forgotten, own_event(forgotten, receipt, number=forgotten.number + 1, now=T0)]


def test_a_log_in_which_somebody_was_forgotten_as_a_whole_is_whole() -> None:
    assert _found(_forgotten()) == []


def test_events_under_the_name_of_another_scope_are_told() -> None:
    assert len(_found(_forgotten(), Scope("0" * len(ANNAS_SCOPE)))) == 2


def test_a_receipt_of_nobody_that_was_forgotten_is_told() -> None:
    forgotten, receipt = _forgotten()
    other = receipt.model_copy(update={"data": receipt.data.model_copy(update={"forget_id": "other"})})
    assert any("scope" in problem for problem in _found([forgotten, other]))
