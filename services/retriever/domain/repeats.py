"""Removes repeats from an answer: of memories that say the same one is kept, and those that say nothing go.

In storage nothing is merged: this concerns the block and the items of one answer.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from services.retriever.domain.idle_turns import SHIPPED, is_command, says_the_same
from shared.contracts.parts import Kind, Role
from shared.contracts.queries import Fate, ScoredMemory
from shared.text.phrasing import HESITATIONS, INTENSIFIERS, OPENINGS, PARTINGS
from shared.text.stating import content_words, has_enough

_LONG = re.compile(r"\w{4,}")
_FILLERS = frozenset((*HESITATIONS, *INTENSIFIERS, *(word for words in (*OPENINGS, *PARTINGS) for word in words)))


class Sifted(NamedTuple):
    """The memories that stay, in order; and why each of the others was left out, by number."""

    kept: list[ScoredMemory]
    left_out: dict[int, Fate]


def sift(ranked: Sequence[ScoredMemory], question: str, languages: Sequence[str] = SHIPPED) -> Sifted:
    """The memories without those that say no more than another, or nothing at all.

    - Of turns of one speaker in the same words the best stays; it names the others in `said_again`.
    - A fact stands for a turn that it was learned from and has all content words of, and for one in its own words: at the
      better place of both.
    - A turn that only asks what is asked now, or only tells the memory what to do, says nothing.
    """
    idle = {memory.number for memory in ranked if is_idle(memory, question, languages)}
    groups = _groups([memory for memory in ranked if memory.number not in idle])
    facts = _stand_ins([memory for memory in ranked if memory.kind is not Kind.EPISODE], groups)
    kept: dict[int, ScoredMemory] = {}
    for group in groups:
        best = facts.get(group[0].number) or _with_repeats(group)
        kept.setdefault(best.number, best)
    gone = {memory.number: Fate.DUPLICATE for memory in ranked if memory.number not in kept}
    return Sifted(list(kept.values()), gone | dict.fromkeys(idle, Fate.IDLE))


def is_idle(memory: ScoredMemory, question: str, languages: Sequence[str]) -> bool:
    """True if a turn of the user only asks what is asked now, or only tells the memory what to do."""
    if memory.kind is not Kind.EPISODE or memory.role is not Role.USER:
        return False
    asks_the_same = memory.text.rstrip().endswith(("?", "？", "؟")) and _key(memory.text) == _key(question)
    return (asks_the_same and says_the_same(memory.text, question)) or is_command(memory.text, languages)


def says_no_more(turn: str, facts: Iterable[str]) -> bool:
    """True if a turn says hardly more than these facts do together.

    >>> says_no_more("well, I live in Leeds", ["The user lives in Leeds."])
    True
    """
    said = content_words(turn) - _FILLERS
    known = frozenset[str]().union(*map(content_words, facts))
    return said <= known or has_enough(known, said)


def _groups(memories: Sequence[ScoredMemory]) -> list[list[ScoredMemory]]:
    """Groups of turns of one speaker that say the same, the best first; each fact is a group of its own."""
    groups: list[list[ScoredMemory]] = []
    alike: defaultdict[tuple[object, ...], list[list[ScoredMemory]]] = defaultdict(list)
    for memory in memories:
        known = alike[memory.role, memory.speaker, _key(memory.text)] if memory.kind is Kind.EPISODE else []
        group = next((each for each in known if says_the_same(each[0].text, memory.text)), None)
        if group is None:
            group = []
            groups.append(group)
            known.append(group)
        group.append(memory)
    return groups


def _stand_ins(facts: Sequence[ScoredMemory], groups: Sequence[Sequence[ScoredMemory]]) -> dict[int, ScoredMemory]:
    """The fact that stands for a group of turns, by the number of the group's first."""
    citing: defaultdict[str, list[ScoredMemory]] = defaultdict(list)
    alike: defaultdict[frozenset[str], list[ScoredMemory]] = defaultdict(list)
    for fact in facts:
        alike[_key(fact.text)].append(fact)
        for source in fact.source_ids:
            citing[source].append(fact)

    def candidates(turn: ScoredMemory) -> Iterator[ScoredMemory]:
        if cited := citing.get(turn.memory_id):
            said = content_words(turn.text) - _FILLERS
            yield from (fact for fact in cited if said and said <= content_words(fact.text))
        yield from (fact for fact in alike.get(_key(turn.text), ()) if says_the_same(fact.text, turn.text))

    turns = (group for group in groups if group[0].kind is Kind.EPISODE)
    found = ((group[0].number, next((fact for turn in group for fact in candidates(turn)), None)) for group in turns)
    return {number: fact for number, fact in found if fact is not None}


def _with_repeats(group: Sequence[ScoredMemory]) -> ScoredMemory:
    best, *others = group
    return best.model_copy(update={"said_again": tuple(turn.memory_id for turn in others)}) if others else best


def _key(text: str) -> frozenset[str]:
    """A cheap key that is equal for texts that say the same: the longer words, folded, without fillers."""
    return frozenset(_LONG.findall(text.casefold())) - _FILLERS
