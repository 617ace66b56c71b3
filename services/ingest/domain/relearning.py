"""Learns from a session anew: what its rules had told ends where it is told otherwise today, or no more.

What its person keeps, put right, denied or took back is left, and so is what something else tells, too, or what rests on turns
that nobody can read any more; what says the same as that is not told again. All of it belongs to the new run.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from services.ingest.domain.deeds import look_up, made_by, undone_repeats
from services.ingest.domain.lacks import Needs
from services.ingest.domain.recollection import Recollection
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.told_fact import ToldFact
from services.ingest.domain.undoing import is_wanted, reverse
from shared.contracts.command import Channel
from shared.contracts.commands import ExtractedFact, SaveFacts
from shared.contracts.envelope import Envelope
from shared.contracts.events import FactRemembered, MemoryRepeated, MemoryRestored, MemoryRetired, NewFact
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.parts import RULES
from shared.contracts.undoing import RunRedone, RunUndone
from shared.language.text.stating import content_words

_MOST_ENDED = 256
"""Most facts that one command ends, for all of its events must fit into one append. The same session again ends more."""


def relearn(command: SaveFacts, ruling: Ruling) -> tuple[list[ExtractedFact], list[MemoryId]]:
    """Compare all facts of a session with those that its rules had told.

    Return the facts to tell and the facts to end; what these had ended holds again already. Raises Lacks.
    """
    words = ruling.state.words()
    told = _told(command.session_id, words.deeds)
    ruling.state.require(Needs(memories={*told}))
    same = {each for each, own in told.items() if any(_says(own, new, command) for new in command.facts)}
    fresh = [new for new in command.facts if not any(_says(told[each], new, command) for each in same)]
    others = {each: own for each, own in told.items() if each not in same}
    near = {(place, each) for place, new in enumerate(fresh) for each in others if _is_near(new, others[each], words)}
    left = {each for each, own in others.items() if _is_left(each, own, ruling)}
    restating = {place for place, each in near if each in left}
    left |= {each for place, each in near if place in restating}
    gone = [each for each in others if each not in left][:_MOST_ENDED]
    ended = [each for each in gone if others[each][0].data.makes]
    repeats = {deed.event_id for each in gone for deed in others[each] if not deed.data.makes}
    done = [
        deed
        for deed in words.deeds
        if deed.event_id in repeats
        or (made_by(deed.data) in ended and _is_of_service(deed) and not isinstance(deed.data, NewFact))
    ]
    look_up(done, ruling)
    reverse(done, frozenset(), ruling)
    return [new for place, new in enumerate(fresh) if place not in restating], ended


def _told(session_id: SessionId, deeds: Sequence[Envelope]) -> dict[MemoryId, list[Envelope]]:
    """The events by which the session's rules told each fact, the first first, without what was undone or relearned since."""
    undone, over, told = set[str](), set[MemoryId](), defaultdict[MemoryId, list[Envelope]](list)
    repeats = undone_repeats(deeds)
    for deed in deeds:
        match deed.data:
            case (FactRemembered() | MemoryRepeated()) as data if data.session_id == session_id and data.origin:
                if data.origin.extractor.startswith(RULES) and deed.event_id not in repeats:
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
    counted = {each: [deed for deed in own if _data(deed).origin.run_id not in undone] for each, own in told.items()}
    return {each: own for each, own in counted.items() if own and each not in over}


def _says(own: Sequence[Envelope], new: ExtractedFact, command: SaveFacts) -> bool:
    """True if a fact was told in these words; where it was made by that, with these slots."""
    said = [_data(deed) for deed in own if _data(deed).text == new.text]
    stated = ToldFact.extracted(new, command.session_id, command.origin).stated if said else ()
    return bool(said) and all({*data.slots} == {*stated} for data in said if data.makes)


def _is_left(memory_id: MemoryId, own: Sequence[Envelope], ruling: Ruling) -> bool:
    first = own[0]
    is_shared = first.data.makes and (
        ruling.state.facts[memory_id].repeat_count >= len(own) or not _is_of_service(first)  # told elsewhere, or imported
    )
    is_unread = not _sources(own) <= ruling.state.words().told.keys()
    return bool(is_shared) or is_unread or not ruling.state.is_live(memory_id) or is_wanted(memory_id, ruling)


def _is_near(new: ExtractedFact, own: Sequence[Envelope], words: Recollection) -> bool:
    """True if one of two facts has half of the words of the other, of those of the turns that state both."""
    turns = [words.told[turn] for turn in new.source_ids if turn in words.told and turn in _sources(own)]
    said = content_words(" ".join(text for turn in turns for text in turn.texts))
    one, other = (content_words(text) & said for text in (new.text, _data(own[0]).text))
    return 2 * len(one & other) >= min(len(one), len(other)) > 0


def _sources(own: Sequence[Envelope]) -> set[str]:
    return {source for deed in own for source in deed.data.sources}


def _is_of_service(deed: Envelope) -> bool:
    return deed.actor.channel == Channel.WORK


def _data(deed: Envelope) -> Any:  # noqa: ANN401 - FactRemembered or MemoryRepeated
    return deed.data
