"""Decides what a fact that was just told ends, and what ends it: by the time at which things were said, whatever came in first.

A fact is superseded when nothing that it is about holds any more; where a part of it does, that part is outdated and the fact
stays. A statement that was superseded still tells what held at its time: what is older comes too late to hold now, and ends
what it would have ended in time. One that was denied or taken back tells nothing. Who is not sure supersedes nothing: the
person is asked.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from services.ingest.domain.claims import Claims, claims_of, keys_of, sought_by, unpacked
from services.ingest.domain.conflicts import doubt, note_answers
from services.ingest.domain.contradicting import Assertion, Contradiction, contradiction
from services.ingest.domain.endings import supersede
from services.ingest.domain.lacks import Needs
from services.ingest.domain.memories import TAKEN_BACK, Status
from services.ingest.domain.relatives import Relatives, relatives_of
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
    claims, told_at = told.claims(ruling.given.digester), told.told_at(ruling.given.now)
    relatives = relatives_of(claims, told_at, ruling)
    mine = Assertion(memory_id, relatives.named(claims), told_at, told.confidence)
    asked, corrected = ruling.state.conflicts, ruling.state.facts[memory_id].corrects
    before: list[Assertion] = []
    after: list[Assertion] = []
    rivals = [each for each in _rivals(mine, relatives, ruling.state) if each.memory_id not in apart_from]
    mine = mine._replace(claims=_as_meant(mine.claims, told, rivals))
    for other in rivals:
        if other.told_at <= mine.told_at:
            before += [other] * _oppose(other, mine, ruling)
        elif is_new and other.memory_id != corrected:
            after += [other] * _oppose(mine, other.with_attributes_of(mine), ruling)
    for other in before[-1:]:  # of many that are in doubt the nearest: one question is enough
        doubt(memory_id, other.memory_id, "hedged" if mine.is_sure else "uncertain", ruling)
    for other in after[:1]:
        doubt(other.memory_id, memory_id, "hedged" if other.is_sure else "uncertain", ruling)
    note_answers(asked, ruling)


def _as_meant(claims: Claims, told: ToldFact, rivals: Sequence[Assertion]) -> Claims:
    """The claims, those of `the launch` as claims of the launch of the rack, if no other launch is known."""
    stated, text = list(claims.stated), told.text.casefold()
    known = [claim for each in rivals for claim in each.claims.stated]
    for place, slot in enumerate(told.stated):
        mine = stated[place]
        own = [each for each in known if each.subject == mine.subject]
        meant = {each.attribute for each in own if mine.attribute in (each.attribute, each.sort)}
        if len(meant) == 1 and f"the {slot.attribute}" in text:
            stated[place] = replace(mine, attribute=meant.pop())
    return replace(claims, stated=tuple(stated))


def end_by_newer(memory_id: MemoryId, slots: tuple[FactSlot, ...], after: datetime, ruling: Ruling) -> None:
    """End a live fact, which states these slots, by what was told after a time. Raises Lacks."""
    mine, relatives = _asserted(memory_id, slots, ruling)
    for other in [each for each in _rivals(mine, relatives, ruling.state) if each.told_at > after]:
        _oppose(mine, other.with_attributes_of(mine), ruling)


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
    mine, relatives = _asserted(memory_id, slots, ruling)
    for other in reversed(list(_rivals(mine, relatives, state))):
        is_newer = other.told_at > mine.told_at
        newer, older = (other.with_attributes_of(mine), mine) if is_newer else (mine, other)
        known = unpacked(state.facts[older.memory_id].claims)
        found = contradiction(newer, older)
        if state.memories[other.memory_id].status is Status.LIVE and not known.ended_by(found.ended) <= known.ended:
            yield other.memory_id


def _asserted(memory_id: MemoryId, slots: tuple[FactSlot, ...], ruling: Ruling) -> tuple[Assertion, Relatives]:
    """What a known fact with these slots says for certain, and the names of whom it is about. Raises Lacks."""
    told_at = ruling.state.facts[memory_id].told_at
    claims = claims_of(slots, ruling.given.digester, is_whole=False)
    relatives = relatives_of(claims, told_at, ruling)
    return Assertion(memory_id, relatives.named(claims), told_at, confidence=1.0), relatives


def is_stated(slot: FactSlot, ruling: Ruling) -> bool:
    """Whether a fact that stands states this: its opposite would contradict that fact. Raises Lacks."""
    opposite = claims_of((slot.model_copy(update={"negated": True}),), ruling.given.digester, is_whole=False)
    relatives = relatives_of(opposite, ruling.given.now, ruling)
    denial = Assertion(MemoryId(""), relatives.named(opposite), ruling.given.now, confidence=1.0)
    found = _rivals(denial, relatives, ruling.state)
    return any(_stands(each.memory_id, ruling.state) and contradiction(denial, each).ended for each in found)


def _rivals(mine: Assertion, relatives: Relatives, state: ScopeState) -> Iterator[Assertion]:
    """What may contradict a statement, oldest first: facts that stand, or stood when it was told or after. Raises Lacks."""
    keys = relatives.keys_sought(mine.claims)
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
        yield Assertion(memory_id, relatives.named(unpacked(fact.claims)), told_at, fact.confidence_once)


def _stands(memory_id: MemoryId, state: ScopeState) -> bool:
    return state.memories[memory_id].status is not Status.SUPERSEDED


def _is_open(memory_id: MemoryId, told_at: datetime, state: ScopeState) -> bool:
    """Whether what was told at a time may end a fact: it stands, or gave way only to what was told after that."""
    return _stands(memory_id, state) or state.facts[memory_id].gave_way_after(told_at)


def _oppose(older: Assertion, newer: Assertion, ruling: Ruling) -> bool:
    """End what the newer statement contradicts of the older one; true if it is not sure, and both are live."""
    if not _is_open(older.memory_id, newer.told_at, ruling.state) or ruling.added >= _MOST_EVENTS:
        return False
    if newer.claims.opposes(older.claims) and newer.is_sure:
        supersede(older.memory_id, newer.memory_id, "conflict", ruling, told_at=newer.told_at)
        return False
    found, known = contradiction(newer, older), unpacked(ruling.state.facts[older.memory_id].claims)
    ended = known.ended_by(found.ended) | known.denied_among(found.ended)
    if ended and newer.is_sure:
        _end(older.memory_id, newer, ended, found, ruling)
        return False
    memories = ruling.state.memories
    are_live = all(memories[each.memory_id].status is Status.LIVE for each in (older, newer))
    return are_live and not known.ended_by(found.ended | found.doubtful) <= known.ended


def _end(memory_id: MemoryId, by: Assertion, ended: frozenset[int], found: Contradiction, ruling: Ruling) -> None:
    """Supersede a fact of which nothing is left that the other does not say itself; else say which part of it ended."""
    known = unpacked(ruling.state.facts[memory_id].claims)
    if not known.says_more and known.essential <= known.ended | ended | known.said_at(found.restated):
        supersede(memory_id, by.memory_id, "conflict", ruling, valid_until=found.since, told_at=by.told_at)
    elif places := sorted(ended - known.ended):
        ruling.add(FactOutdated(memory_id=memory_id, outdated_by=by.memory_id, slots=tuple(places), valid_until=found.since))
