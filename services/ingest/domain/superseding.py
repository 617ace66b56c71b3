"""Decides what a fact that was just told ends, and what ends it: by the time at which things were said, whatever came in first.

A claim ends by another one of the same attribute and subject. A fact is superseded when it claims nothing else and says no
more; else that part of it is outdated and the fact stays. A statement that was superseded still tells what held at its time:
what is older comes too late to hold now, and ends what it would have ended in time. One that was denied or taken back tells
nothing. Who is not sure supersedes nothing. The person is asked if a statement denies an older one, or if two
statements of one day give different values of what a person has for life.
"""

from collections.abc import Collection, Iterator
from datetime import datetime

from services.ingest.domain.claims import Claims, claims_of, keys_of, keys_sought, sought_by, unpacked
from services.ingest.domain.conflicts import doubt, note_answers
from services.ingest.domain.contradicting import Assertion, contradiction
from services.ingest.domain.endings import supersede
from services.ingest.domain.lacks import Needs
from services.ingest.domain.memories import TAKEN_BACK, Status
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.domain.told_fact import ToldFact
from shared.contracts.events import FactOutdated
from shared.contracts.ids import MemoryId
from shared.contracts.parts import FactSlot

_MOST_EVENTS = 150
"""A command or imported record that led to so many ends nothing more, for all of its events must fit into one append."""


def reconcile(
    memory_id: MemoryId, told: ToldFact, ruling: Ruling, *, is_new: bool, apart_from: Collection[MemoryId] = ()
) -> None:
    """End what a fact ends that was just told, and end it by what is newer. One that is only repeated is not ended.

    `apart_from`: facts that are not compared with it.
    """
    mine = Assertion(memory_id, told.claims(ruling.given.digester), told.told_at(ruling.given.now), told.confidence)
    asked, corrected = ruling.state.conflicts, ruling.state.facts[memory_id].corrects
    rivals = [each for each in _rivals(mine, ruling.state) if each.memory_id not in apart_from]
    for other in rivals:
        if other.told_at <= mine.told_at:
            _oppose(other, mine, ruling)
        elif is_new and other.memory_id != corrected:
            _oppose(mine, other, ruling)
    denied = [each for each in rivals if each.told_at <= mine.told_at and mine.denies(each)]
    for other in denied[-1:] if mine.is_sure else []:  # of many the nearest: one question is enough
        doubt(memory_id, other.memory_id, "opposite", ruling)
    note_answers(asked, ruling)


def end_by_newer(memory_id: MemoryId, slots: tuple[FactSlot, ...], after: datetime, ruling: Ruling) -> None:
    """End a live fact, which states these slots, by what was told after a time. Raises Lacks."""
    mine = _asserted(memory_id, slots, ruling)
    for other in [each for each in _rivals(mine, ruling.state) if each.told_at > after]:
        _oppose(mine, other, ruling)


def supersede_named(memory_id: MemoryId, named: Collection[MemoryId], told: ToldFact, ruling: Ruling) -> None:
    """End the facts that whoever told this one says not to hold any more.

    Unknown, ended and newer ones stay as they are, and so does one of which this fact was seen to end a part only.
    """
    ruling.state.require(Needs(memories=set(named)))
    asked, told_at = ruling.state.conflicts, told.told_at(ruling.given.now)
    for each in [each for each in named if each not in {memory_id, *_outdated_by(memory_id, ruling)}]:
        fact = ruling.state.facts.get(each)
        if fact is None or fact.told_at > told_at or not _is_open(each, told_at, ruling.state):
            continue
        if ruling.added >= _MOST_EVENTS:
            break
        if Assertion(memory_id, Claims(), told_at, told.confidence).is_sure:
            supersede(each, memory_id, "conflict", ruling, valid_until=told_at, told_at=told_at)
        else:
            doubt(memory_id, each, "named", ruling)
    note_answers(asked, ruling)


def _outdated_by(memory_id: MemoryId, ruling: Ruling) -> set[MemoryId]:
    """The facts of which this command ended a part by this one."""
    said = (event.data for event in ruling.events)
    return {data.memory_id for data in said if isinstance(data, FactOutdated) and data.outdated_by == memory_id}


def contradicting(memory_id: MemoryId, slots: tuple[FactSlot, ...], ruling: Ruling) -> Iterator[MemoryId]:
    """The live facts that contradict a live one, which states these slots, the last told first. Raises Lacks."""
    state = ruling.state
    mine = _asserted(memory_id, slots, ruling)
    for other in reversed(list(_rivals(mine, state))):
        newer, older = (other, mine) if other.told_at > mine.told_at else (mine, other)
        ended = contradiction(newer, older).ended - unpacked(state.facts[older.memory_id].claims).ended
        if state.memories[other.memory_id].status is Status.LIVE and ended:
            yield other.memory_id


def _asserted(memory_id: MemoryId, slots: tuple[FactSlot, ...], ruling: Ruling) -> Assertion:
    """Return the assertion of a known fact with these slots, at full confidence."""
    claims = claims_of(slots, ruling.given.digester, is_whole=False)
    return Assertion(memory_id, claims, ruling.state.facts[memory_id].told_at, confidence=1.0)


def is_stated(slot: FactSlot, ruling: Ruling) -> bool:
    """True if a fact that stands states this: its opposite would contradict that fact. Raises Lacks."""
    opposite = claims_of((slot.model_copy(update={"negated": True}),), ruling.given.digester, is_whole=False)
    denial = Assertion(MemoryId(""), opposite, ruling.given.now, confidence=1.0)
    found = _rivals(denial, ruling.state)
    return any(_stands(each.memory_id, ruling.state) and contradiction(denial, each).ended for each in found)


def _rivals(mine: Assertion, state: ScopeState) -> Iterator[Assertion]:
    """What may contradict a statement, oldest first: facts that stand, or stood when it was told or after. Raises Lacks."""
    keys = keys_sought(mine.claims)
    state.require(Needs(claims=sought_by(keys, mine.told_at)))
    found = [
        (fact.told_at, state.memories[each].number, each)
        for each, fact in state.facts.items()
        if fact.claims
        and each != mine.memory_id
        and (_is_open(each, mine.told_at, state) or fact.told_at > mine.told_at)
        and state.memories[each].ended not in TAKEN_BACK
        and not keys.isdisjoint(keys_of(fact.claims))
    ]
    for told_at, _, memory_id in sorted(found):
        fact = state.facts[memory_id]
        yield Assertion(memory_id, unpacked(fact.claims), told_at, fact.confidence_once)


def _stands(memory_id: MemoryId, state: ScopeState) -> bool:
    return state.memories[memory_id].status is not Status.SUPERSEDED


def _is_open(memory_id: MemoryId, told_at: datetime, state: ScopeState) -> bool:
    """True if what was told at a time may end a fact: it stands, or gave way only to what was told after that."""
    return _stands(memory_id, state) or state.facts[memory_id].gave_way_after(told_at)


def _may_ask(older: MemoryId, newer: MemoryId, state: ScopeState) -> bool:
    """True if two facts are live and neither was ever in doubt. A statement after a question answers it, and asks no more."""
    return all(state.is_live(each) for each in (older, newer)) and not any(
        conflict.concerns({older, newer}) for conflict in state.conflicts.values()
    )


def _oppose(older: Assertion, newer: Assertion, ruling: Ruling) -> None:
    """End what the newer statement contradicts of the older one: the fact if nothing is left of it, else that part."""
    if not newer.is_sure or not _is_open(older.memory_id, newer.told_at, ruling.state) or ruling.added >= _MOST_EVENTS:
        return
    memory_id, found = older.memory_id, contradiction(newer, older)
    known = unpacked(ruling.state.facts[memory_id].claims)
    if found.is_doubtful and _may_ask(memory_id, newer.memory_id, ruling.state):
        doubt(newer.memory_id, memory_id, "two_values", ruling)
    elif found.ended and known.may_end and known.essential <= known.ended | found.ended | found.restated:
        supersede(memory_id, newer.memory_id, "conflict", ruling, valid_until=found.since, told_at=newer.told_at)
    elif places := sorted(found.ended - known.ended):
        ruling.add(FactOutdated(memory_id=memory_id, outdated_by=newer.memory_id, slots=tuple(places), valid_until=found.since))
