"""Turns a person's events into records that another memstream can import."""

from collections.abc import Iterable
from typing import Any, cast

from shared.contracts.envelope import Envelope
from shared.contracts.events import SessionConsolidated
from shared.contracts.ids import CommandId, MemoryId
from shared.contracts.moving import ImportedRecord
from shared.contracts.preferences import PersonSettings, SettingsChanged
from shared.contracts.privacy import MemoryForgotten, UserForgotten


class Exporter:
    """Makes records of events. It must first be given all events of forgettings, consolidations and settings.

    What was forgotten later than the export's end is left out as well: an export never holds what is forgotten when it is read.
    """

    def __init__(self, events: Iterable[tuple[Envelope, bool]]) -> None:
        self._forgotten: dict[MemoryId, int] = {}  # by which event
        self._erased: set[int] = set()
        self._through_number = 0  # of the last forgetting of everything
        self._consolidated: dict[int, SessionConsolidated] = {}  # by the number of the completion
        self._settings: Envelope | None = None
        for event, is_within in events:
            match event.data:
                case MemoryForgotten(memory_ids=memory_ids, numbers=numbers):
                    self._forgotten |= dict.fromkeys(memory_ids, event.number)
                    self._erased.update(numbers)
                case UserForgotten(through_number=through_number):
                    self._through_number = through_number
                    self._consolidated.clear()
                    self._settings = None
                case SessionConsolidated() as learned if is_within:
                    self._consolidated.setdefault(learned.through_number, learned)
                case SettingsChanged() if is_within:
                    self._settings = event

    def record(self, event: Envelope) -> ImportedRecord | None:
        """The record of an event; None if the event is about something forgotten."""
        memory_id = event.data.subject
        if event.number <= self._through_number or event.number in self._erased or memory_id in self._forgotten:
            return None
        return self._made(event, event.data.model_dump(mode="json"))

    def settings(self) -> ImportedRecord | None:
        """The current settings, as the last record: an earlier one might turn memory off before everything is imported."""
        if self._settings is None:
            return None
        data = cast("SettingsChanged", self._settings.data)
        last = SettingsChanged(settings=data.settings, before=PersonSettings(), asked=data.settings)
        return self._made(self._settings, last.model_dump(mode="json"))

    def _made(self, event: Envelope, data: dict[str, Any]) -> ImportedRecord:
        for name in ("source_ids", "added_source_ids"):
            if data.get(name):
                data[name] = [each for each in data[name] if self._forgotten.get(each, 0) <= event.number]
        learned = self._consolidated.get(event.number)
        return ImportedRecord(
            record_id=event.event_id,
            command_id=CommandId(event.causation_id),
            type=event.type,
            version=event.version,
            occurred_at=event.occurred_at,
            data=data,
            consolidated=learned if event.type == "session_completed" else None,
        )
