"""Decides what relearning a session changes: a fact of its rules ends if today's rules state it otherwise or not at all.

A fact is left as it is if its person pinned, confirmed, corrected, denied or took it back, if another source states it too, or
if it rests on turns that can no longer be read. A new fact that says the same as one that is left is not told. All changes
belong to the new run.
"""

from collections import defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from services.ingest.domain.conflicts import note_answers
from services.ingest.domain.deeds import look_up, made_by, run_of, undone_repeats
from services.ingest.domain.lacks import Needs
from services.ingest.domain.recollection import Recollection
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.told_fact import ToldFact
from services.ingest.domain.undoing import is_wanted, reverse
from shared.contracts.command import Channel
from shared.contracts.commands import ExtractedFact, SaveFacts
from shared.contracts.envelope import Envelope
from shared.contracts.events import MemoryRepeated, MemoryRestored, MemoryRetired, NewFact
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.parts import RULES
from shared.contracts.undoing import RunRedone, RunUndone
from shared.language.text.stating import content_words

_MOST_ENDED = 256
"""Most facts that one command ends, for all of its events must fit into one append. The same session again ends more."""


class _Told(NamedTuple):
    """The events by which the session's rules told a fact, the first first."""

    own: list[Any]
    is_shared: bool  # something else tells it, too
    sources: AbstractSet[str]

    @property
    def is_made_here(self) -> bool:
        return bool(self.own[0].data.makes)

    def says(self, new: ExtractedFact, command: SaveFacts) -> bool:
        """True if the fact was told in these words; where it was made by that, with these slots."""
        said = [deed.data for deed in self.own if deed.data.text == new.text]
        stated = ToldFact.extracted(new, command.session_id, command.origin).stated if said else ()
        return bool(said) and all({*data.slots} == {*stated} for data in said if data.makes)


def relearn(command: SaveFacts, ruling: Ruling) -> tuple[list[ExtractedFact], list[MemoryId]]:
    """Compare all facts of a session with those that its rules had told.

    Return the facts to tell and the facts to end; what these had ended holds again already. Raises Lacks.
    """
    words = ruling.state.words()
    told = _told(command.session_id, words.deeds)
    ruling.state.require(Needs(memories={*told}))
    same = {each for each, one in told.items() if any(one.says(new, command) for new in command.facts)}
    fresh = [new for new in command.facts if not any(told[each].says(new, command) for each in same)]
    others = {each: one for each, one in told.items() if each not in same}
    near = {(place, each) for place, new in enumerate(fresh) for each, one in others.items() if _is_near(new, one, words)}
    read = {each for each, turn in words.told.items() if turn.number < command.through_number}
    left = {each for each, one in others.items() if not one.sources <= read or _is_left(each, one, ruling)}
    restating = {place for place, each in near if each in left}
    left |= {each for place, each in near if place in restating}
    gone = [each for each in others if each not in left][:_MOST_ENDED]
    ended = [each for each in gone if not others[each].is_shared]
    repeats = {deed.event_id for each in gone for deed in others[each].own if not deed.data.makes}
    over = {*ended}
    done = [
        deed
        for deed in words.deeds
        if deed.event_id in repeats
        or (made_by(deed.data) in over and _is_of_service(deed) and not isinstance(deed.data, NewFact))
    ]
    look_up(done, ruling)
    reverse(done, frozenset(), ruling)
    return [new for place, new in enumerate(fresh) if place not in restating], ended


def retire(ended: Sequence[MemoryId], ruling: Ruling) -> None:
    """Retire facts that nobody tells any more, and close the questions about them."""
    asked = ruling.state.conflicts
    ruling.add_all(MemoryRetired(memory_id=each, reason="undone") for each in ended)
    note_answers(asked, ruling)


def _told(session_id: SessionId, deeds: Sequence[Envelope]) -> dict[MemoryId, _Told]:
    """The facts that the session's rules told, without what was undone or learned anew since."""
    undone, over, told = set[str | None](), set[MemoryId](), defaultdict[MemoryId, list[Envelope]](list)
    repeats = undone_repeats(deeds)
    for deed in deeds:
        match deed.data:
            case (NewFact() | MemoryRepeated()) as data if deed.event_id not in repeats:
                told[data.memory_id].append(deed)
            case MemoryRetired(reason="undone") as data if _is_of_service(deed):
                over.add(data.memory_id)
            case MemoryRestored() as data:
                over.discard(data.memory_id)
            case RunUndone() as data:
                undone.add(data.run_id)
            case RunRedone() as data:
                undone.discard(data.run_id)
            case _:
                pass
    counted = {each: [deed for deed in by if run_of(deed.data) not in undone] for each, by in told.items() if each not in over}
    own = {each: [deed for deed in by if _is_of_rules(deed.data, session_id)] for each, by in counted.items()}
    return {
        each: _Told(by, len(by) < len(counted[each]), {source for deed in by for source in deed.data.sources})
        for each, by in own.items()
        if by
    }


def _is_of_rules(data: Any, session_id: SessionId) -> bool:  # noqa: ANN401 - a new fact or a repeat
    origin = getattr(data, "origin", None)
    return data.session_id == session_id and origin is not None and origin.extractor.startswith(RULES)


def _is_left(memory_id: MemoryId, told: _Told, ruling: Ruling) -> bool:
    """True if a fact that was made here is told elsewhere too, or was imported, if it has ended, or its person decided."""
    is_of_others = told.is_made_here and (told.is_shared or not _is_of_service(told.own[0]))
    return is_of_others or not ruling.state.is_live(memory_id) or is_wanted(memory_id, ruling)


def _is_near(new: ExtractedFact, told: _Told, words: Recollection) -> bool:
    """True if one of two facts has half of the words of the other, of those of the turns that state both."""
    turns = [words.told[turn] for turn in new.source_ids if turn in told.sources and turn in words.told]
    if not turns:
        return False
    said = content_words(" ".join(text for turn in turns for text in turn.texts))
    one, other = (content_words(text) & said for text in (new.text, told.own[0].data.text))
    return 2 * len(one & other) >= min(len(one), len(other)) > 0


def _is_of_service(deed: Envelope) -> bool:
    return bool(deed.actor.channel == Channel.WORK)
