"""Tells which memories do not hold any more, in whole or in part, or may not, and which live facts hold in their place.

A fact does not hold where it was superseded, and in part where an event says that a newer one outdates it. A turn does not
hold where every fact that was learned from it was superseded and it says no more than they do.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple, TypeVar

from services.retriever.domain.repeats import says_no_more
from services.retriever.domain.succession import Heir, MemoryEnding
from services.retriever.store.legs import WANTED, Connection, Filter
from services.retriever.store.unchanged import Unchanged
from shared.contracts.parts import Standing
from shared.runtime.sqlite import rows

_IS_ANY_ENDED = "SELECT EXISTS (SELECT 1 FROM supersessions) OR EXISTS (SELECT 1 FROM outdatings)"
_IS_ANY = f"{_IS_ANY_ENDED}, EXISTS (SELECT 1 FROM conflicts WHERE is_pending)"
_MAY_HAVE_ENDED = """
WITH ended(number) AS (
  SELECT old.number FROM supersessions CROSS JOIN memories AS old ON old.id = supersessions.old WHERE old.status = 'superseded'
  UNION SELECT old.number FROM outdatings CROSS JOIN memories AS old ON old.id = outdatings.old)
SELECT number FROM ended
UNION SELECT turn.number FROM ended JOIN fact_sources ON fact_sources.fact = ended.number
JOIN memories AS turn ON turn.id = fact_sources.source
"""
_NEWEST = "SELECT coalesce(max(number), 0) FROM memories"
_IN_DOUBT = """
SELECT memories.number, conflicts.id, newer.number, newer.id
FROM conflicts JOIN memories AS newer ON newer.id = conflicts.newer
JOIN memories ON memories.id = conflicts.older OR memories.id = conflicts.newer
WHERE conflicts.is_pending ORDER BY conflicts.number
"""
_LEARNED = """
SELECT turn.number, turn.content, fact.number, fact.content, fact.status
FROM memories AS turn JOIN fact_sources ON fact_sources.source = turn.id
JOIN memories AS fact ON fact.number = fact_sources.fact
WHERE turn.number IN (SELECT value FROM json_each(:numbers)) AND EXISTS (
  SELECT 1 FROM fact_sources AS learned JOIN memories AS old ON old.number = learned.fact
  WHERE learned.source = turn.id
    AND (old.status = 'superseded' OR EXISTS (SELECT 1 FROM outdatings WHERE outdatings.old = old.id)))
"""
_ENDED = """
SELECT number, superseded_by, valid_until, slots, NULL FROM memories
WHERE number IN (SELECT value FROM json_each(:numbers)) AND status = 'superseded'
UNION ALL SELECT old.number, outdatings.new, NULL, old.slots, outdatings.slots
FROM memories AS old JOIN outdatings ON outdatings.old = old.id LEFT JOIN memories AS new ON new.id = outdatings.new
WHERE old.number IN (SELECT value FROM json_each(:numbers)) AND old.status = 'active'
  AND new.ended_because IS NOT 'undone'
"""
_HEIRS = """
WITH RECURSIVE line(first, id) AS (
  SELECT value, value FROM json_each(:ids)
  UNION SELECT line.first, memories.superseded_by FROM line JOIN memories ON memories.id = line.id
  WHERE memories.status = 'superseded' AND memories.superseded_by IS NOT NULL)
SELECT line.first, memories.number, memories.id FROM line JOIN memories ON memories.id = line.id
WHERE memories.status = 'active' ORDER BY memories.number
"""
_SAID = """
SELECT fact_sources.fact, memories.number, memories.id FROM fact_sources JOIN memories ON memories.id = fact_sources.source
WHERE fact_sources.fact IN (SELECT value FROM json_each(:numbers)) ORDER BY memories.number
"""
_WANTED = f"SELECT number FROM memories WHERE number IN (SELECT value FROM json_each(:numbers)) AND {WANTED}"

T = TypeVar("T")


class Doubt(NamedTuple):
    """A pending question which of two facts holds."""

    conflict_id: str
    newer: Heir


class _Learned(NamedTuple):
    """A fact that was learned from a turn."""

    fact: int
    text: str
    is_superseded: bool


class _LookedUp:
    """What was looked up of endings and doubts. It holds until anything is said of a fact."""

    def __init__(self, db: Connection) -> None:
        is_any_ended, is_any_doubted = rows(db, _IS_ANY)[0]
        may_have_ended = rows(db, _MAY_HAVE_ENDED) if is_any_ended else ()
        self._may_have_ended = frozenset(number for (number,) in may_have_ended)
        self._through: float = rows(db, _NEWEST)[0][0] if is_any_ended else inf
        self._known: set[int] = set()
        self.endings: dict[int, MemoryEnding] = {}
        self.doubts = all_doubts(db) if is_any_doubted else {}

    def look_up(self, db: Connection, numbers: Collection[int]) -> None:
        """Look up how much of these memories does not hold, of those that may have ended and of those that came since."""
        may_have = (number for number in numbers if number in self._may_have_ended or number > self._through)
        if new := [number for number in may_have if number not in self._known]:
            self.endings |= _endings(db, new)
            self._known.update(new)


class KnownEndings:
    """The endings and doubts of memories, each looked up once: while no fact of a file changes, and one thread reads it."""

    def __init__(self, db: Connection, unchanged: Unchanged) -> None:
        self._db = db
        self._unchanged = unchanged

    @property
    def _looked(self) -> _LookedUp:
        return self._unchanged.of_facts(_LookedUp, lambda: _LookedUp(self._db))

    def endings(self, numbers: Collection[int]) -> dict[int, MemoryEnding]:
        """How much of each of these memories does not hold any more; those that hold are left out."""
        looked = self._looked
        looked.look_up(self._db, numbers)
        return _among(numbers, looked.endings)

    def doubts(self, numbers: Collection[int]) -> dict[int, list[Doubt]]:
        """The pending questions whether these memories hold."""
        return _among(numbers, self._looked.doubts)

    def endings_or_doubts(self, numbers: Collection[int]) -> dict[int, MemoryEnding]:
        """How much of these memories does not hold any more, or would not if the newer of two facts in doubt held."""
        found = self.endings(numbers)
        for number, of in self.doubts(numbers).items():
            if newer := tuple(doubt.newer for doubt in of if doubt.newer.number != number):
                doubted = MemoryEnding(is_whole=False, heirs=newer, is_doubted=True)
                found[number] = found[number].joined(doubted) if number in found else doubted
        return found


def _among(numbers: Collection[int], found: Mapping[int, T]) -> dict[int, T]:
    return {number: found[number] for number in numbers if number in found} if found else {}


def endings(db: Connection, numbers: Collection[int]) -> dict[int, MemoryEnding]:
    """How much of each of these memories does not hold any more; those that hold are left out."""
    return _endings(db, numbers) if rows(db, _IS_ANY_ENDED)[0][0] else {}


def _endings(db: Connection, numbers: Collection[int]) -> dict[int, MemoryEnding]:
    turns, learned = _learned(db, numbers)
    facts = _of_facts(db, {*numbers, *(each.fact for said in learned.values() for each in said)})
    of_turns = {turn: _of_turn(turns[turn], said, facts) for turn, said in learned.items()}
    found = {number: facts[number] for number in numbers if number in facts}
    return found | {turn: ending for turn, ending in of_turns.items() if ending}


def all_doubts(db: Connection) -> dict[int, list[Doubt]]:
    """All pending questions, by the memories that may not hold."""
    found: defaultdict[int, list[Doubt]] = defaultdict(list)
    for number, conflict_id, *newer in rows(db, _IN_DOUBT):
        found[number].append(Doubt(conflict_id, Heir(*newer)))
    return dict(found)


def said(db: Connection, found: Mapping[int, MemoryEnding]) -> dict[int, MemoryEnding]:
    """Endings with the turns from which the heirs were learned in the place of the heirs that are facts."""
    numbers = {heir.number for ending in found.values() for heir in ending.heirs}
    turns: defaultdict[int, tuple[Heir, ...]] = defaultdict(tuple)
    for fact, number, memory_id in rows(db, _SAID, {"numbers": json.dumps(sorted(numbers))}):
        turns[fact] += (Heir(number, memory_id),)
    return {
        number: ending._replace(
            heirs=tuple(turn for heir in ending.heirs for turn in turns.get(heir.number, (heir,)) if turn.number != number)
        )
        for number, ending in found.items()
    }


def wanted(db: Connection, found: Mapping[int, MemoryEnding], by: Filter) -> list[int]:
    """The numbers of the heirs that a search may return."""
    numbers = sorted({heir.number for ending in found.values() for heir in ending.heirs})
    return [number for (number,) in rows(db, _WANTED, {**by.bound, "numbers": json.dumps(numbers)})] if numbers else []


def _learned(db: Connection, numbers: Collection[int]) -> tuple[dict[int, str], dict[int, list[_Learned]]]:
    """The texts of those of these memories of whose facts one may have ended, and all facts that were learned from them."""
    texts: dict[int, str] = {}
    found: defaultdict[int, list[_Learned]] = defaultdict(list)
    for turn, words, fact, content, status in rows(db, _LEARNED, {"numbers": json.dumps(list(numbers))}):
        texts[turn] = words
        found[turn].append(_Learned(fact, content, status == Standing.SUPERSEDED))
    return texts, found


def _of_facts(db: Connection, numbers: Collection[int]) -> dict[int, MemoryEnding]:
    """The endings of those of these facts that have ended, in whole or in part."""
    found = rows(db, _ENDED, {"numbers": json.dumps(sorted(numbers))})
    heirs = _heirs(db, {newer for _, newer, *_ in found if newer})
    by_fact: dict[int, MemoryEnding] = {}
    for number, newer, until, stated, places in found:
        ending = _ending(heirs.get(newer, ()), until, json.loads(stated), places and json.loads(places))
        by_fact[number] = by_fact[number].joined(ending) if number in by_fact else ending
    return by_fact


def _ending(
    heirs: tuple[Heir, ...], until: int | None, slots: Sequence[Mapping[str, Any]], places: Sequence[int] | None
) -> MemoryEnding:
    """The ending of a fact with these slots: of all, or of those at these places."""
    if places is None:
        return MemoryEnding(is_whole=True, heirs=heirs, since=until, about=frozenset(slot["attribute"] for slot in slots))
    about = frozenset(slots[place]["attribute"] for place in places)
    is_told = any(_says(slots[place]) for place in places)
    return MemoryEnding(is_whole=False, heirs=heirs, slots=frozenset(places), about=about, is_told=is_told)


def _says(slot: Mapping[str, Any]) -> bool:
    """False of what only follows from an end: who quit a job has none, and after the next one has quit it all the same."""
    return not slot.get("negated") or "value" in slot


def _heirs(db: Connection, newer: Iterable[str]) -> Mapping[str, tuple[Heir, ...]]:
    """The live fact at the end of the line that begins with each of these; none where the last one was retired or forgotten."""
    found: defaultdict[str, tuple[Heir, ...]] = defaultdict(tuple)
    for first, number, memory_id in rows(db, _HEIRS, {"ids": json.dumps(sorted(newer))}):
        found[first] += (Heir(number, memory_id),)
    return found


def _of_turn(text: str, learned: Collection[_Learned], facts: Mapping[int, MemoryEnding]) -> MemoryEnding | None:
    """The ending of a turn by those of the facts that were learned from it; None if all of them hold."""
    ended = [facts[each.fact] for each in learned if each.fact in facts]
    if not ended:
        return None
    joined = ended[0]
    for ending in ended[1:]:
        joined = joined.joined(ending)
    is_whole = all(each.is_superseded for each in learned) and says_no_more(text, [each.text for each in learned])
    return joined if is_whole else joined.in_part
