"""Prepares the turns of a session for learning: without what memstream had said first."""

from collections.abc import Iterable, Iterator
from datetime import timedelta, timezone

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


def turns_learned_from(session_id: SessionId, events: Iterable[Envelope]) -> tuple[list[list[Envelope]], Envelope]:
    """Return a session's turns that were learned from, by completion, and the last event that says so, of a person's events.

    Raises NotFound if nothing was, or by a model or an agent.
    """
    completed, going, forgotten, runs = dict[int, list[Envelope]](), list[Envelope](), set[MemoryId](), list[Envelope]()
    for event in events:
        match event.data:
            case EpisodeRecorded(session_id=said_in, held_back=False) if said_in == session_id:
                going.append(event)
            case SessionCompleted(session_id=over) if over == session_id:
                completed[event.number], going = going, []
            case SessionConsolidated(session_id=learned_from) if learned_from == session_id:
                runs.append(event)
            case MemoryForgotten(memory_ids=gone):
                forgotten.update(gone)
            case UserForgotten():
                completed, going, runs = {}, [], []
    if not runs or not all(run.data.origin.extractor.startswith(RULES) for run in runs):
        raise NotFound("nothing was learned from this session, or by a model or an agent")
    through = max(run.data.through_number for run in runs)
    parts = [turns for number, turns in completed.items() if number <= through]
    kept = ([turn for turn in turns if turn.data.subject not in forgotten] for turns in parts)
    return [sorted(turns, key=lambda turn: (turn.occurred_at, turn.number)) for turns in kept], runs[-1]


def marked(origin: Origin, events: Iterable[Envelope]) -> Origin:
    """The origin with the number of echoes that were cut out of these turns; the turns' events say which."""
    cut = sum(len(turn.echoes) for _, turn in _turns(events))
    return origin.model_copy(update={"parameters": {**origin.parameters, "echoes_cut": cut}}) if cut else origin


def _turns(events: Iterable[Envelope]) -> Iterator[tuple[Envelope, EpisodeRecorded]]:
    for event in events:
        assert isinstance(event.data, EpisodeRecorded)  # noqa: S101 - the store keeps no other positions
        yield event, event.data
