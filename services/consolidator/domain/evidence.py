"""Prepares the turns of a session for learning: without what memstream had said first."""

from collections.abc import Iterable, Iterator
from datetime import timedelta, timezone

from services.consolidator.domain.extraction import SaidTurn
from shared.contracts.envelope import Envelope
from shared.contracts.events import EpisodeRecorded
from shared.contracts.parts import Origin
from shared.language.text.length import is_read
from shared.language.text.without_echoes import without_echoes


def said(events: Iterable[Envelope]) -> list[SaidTurn]:
    """The turns of these events without their echoes; no turn that is nothing but echoes or too long to be read."""
    return [
        SaidTurn(
            memory_id=turn.memory_id,
            number=event.number,
            role=turn.role,
            speaker=turn.speaker,
            text=text,
            occurred_at=event.occurred_at.astimezone(timezone(timedelta(minutes=turn.utc_offset_minutes or 0))),
        )
        for event, turn in _turns(events)
        if is_read(turn.text) and (text := without_echoes(turn.text, turn.echoes))
    ]


def marked(origin: Origin, events: Iterable[Envelope]) -> Origin:
    """The origin with the number of echoes that were cut out of these turns; the turns' events say which."""
    cut = sum(len(turn.echoes) for _, turn in _turns(events))
    return origin.model_copy(update={"parameters": {**origin.parameters, "echoes_cut": cut}}) if cut else origin


def _turns(events: Iterable[Envelope]) -> Iterator[tuple[Envelope, EpisodeRecorded]]:
    for event in events:
        assert isinstance(event.data, EpisodeRecorded)  # noqa: S101 - the store keeps no other positions
        yield event, event.data
