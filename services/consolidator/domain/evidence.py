"""Prepares the turns of a session for learning: without what memstream had said first."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone

from services.consolidator.domain.extraction import SaidTurn
from shared.contracts.envelope import Envelope
from shared.contracts.errors import NotFound
from shared.contracts.events import EpisodeRecorded, SessionCompleted, SessionConsolidated
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.parts import RULES, Origin
from shared.contracts.privacy import MemoryForgotten, UserForgotten
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


def turns_learned_from(session_id: SessionId, events: Iterable[Envelope]) -> tuple[dict[int, list[Envelope]], Envelope]:
    """Return a session's turns that rules have learned from, by completion, and its last event, of the events of its person.

    Raises NotFound where nothing was learned so.
    """
    completed, going, learned, last = dict[int, list[Envelope]](), list[Envelope](), set[int](), list[Envelope]()
    forgotten = set[MemoryId]()
    for event in events:
        match event.data:
            case EpisodeRecorded(held_back=False) as turn if turn.session_id == session_id:
                going.append(event)
            case SessionCompleted() as over if over.session_id == session_id:
                completed[event.number], going = going, []
            case SessionConsolidated() as run if run.session_id == session_id and run.origin.extractor.startswith(RULES):
                learned.add(run.through_number)
                last = [event]
            case MemoryForgotten() as gone:
                forgotten.update(gone.memory_ids)
            case UserForgotten():
                completed, going, learned, last = {}, [], set(), []
            case _:
                pass
    if not last:
        raise NotFound("no rules have learned from this session yet")
    parts = {number: sorted(turns, key=_said_at) for number, turns in completed.items() if number in learned}
    return {number: [turn for turn in part if turn.data.subject not in forgotten] for number, part in parts.items()}, last[0]


def _said_at(turn: Envelope) -> tuple[datetime, int]:
    return turn.occurred_at, turn.number


def marked(origin: Origin, events: Iterable[Envelope]) -> Origin:
    """The origin with the number of echoes that were cut out of these turns; the turns' events say which."""
    cut = sum(len(turn.echoes) for _, turn in _turns(events))
    return origin.model_copy(update={"parameters": {**origin.parameters, "echoes_cut": cut}}) if cut else origin


def _turns(events: Iterable[Envelope]) -> Iterator[tuple[Envelope, EpisodeRecorded]]:
    for event in events:
        assert isinstance(event.data, EpisodeRecorded)  # noqa: S101 - the store keeps no other positions
        yield event, event.data
