"""What a conversation outdates of what is known: by its sentences that tell of a change, worth keeping for that alone."""

from collections.abc import Sequence
from dataclasses import replace

from services.consolidator.domain.drafts import FactDraft, Statement
from services.consolidator.domain.extraction import KnownFact
from services.consolidator.domain.kinds import FactTag
from services.consolidator.domain.reading import TurnReader
from shared.contracts.ids import MemoryId
from shared.statements.comparing import ComparedText, compared, compared_fact, outdated

_MOST_SUPERSEDED = 16
_CONFIDENCE = 0.8


def changes(reader: TurnReader) -> list[Statement]:
    """The statements that may outdate something."""
    return [said for said in reader.heard if _compared(said).tells_change]


def drafts_with_outdated(reader: TurnReader, told: Sequence[Statement], known: Sequence[KnownFact]) -> list[FactDraft]:
    """The drafts of a conversation in the order of their turns, each with the known facts that its statements outdate."""
    drafts = list(reader.drafts)
    for said in told:
        if superseded := _outdated(said, known):
            _supersede(said, superseded, drafts)
    return sorted(drafts, key=lambda draft: draft.statements[0].turns[0].number)


def _outdated(said: Statement, known: Sequence[KnownFact]) -> list[MemoryId]:
    names = _names(said)
    places = outdated(_compared(said), [compared_fact(fact.text, names) for fact in known])
    return [known[place].memory_id for place in places][:_MOST_SUPERSEDED]


def _supersede(said: Statement, superseded: Sequence[MemoryId], drafts: list[FactDraft]) -> None:
    """Let the draft that a statement is part of supersede the facts; without one it becomes a fact itself."""
    for place, draft in enumerate(drafts):
        if any(each is said for each in draft.statements):
            both = tuple(dict.fromkeys((*draft.supersedes, *superseded)))[:_MOST_SUPERSEDED]
            drafts[place] = replace(draft, supersedes=both)
            return
    drafts.append(FactDraft((said,), (FactTag.ATTRIBUTE,), _CONFIDENCE, supersedes=tuple(superseded)))


def _compared(said: Statement) -> ComparedText:
    return compared(said.words, _names(said))


def _names(said: Statement) -> tuple[str, ...]:
    return (said.speaker.lower(),) if said.speaker else ()
