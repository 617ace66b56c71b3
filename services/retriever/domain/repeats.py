"""Removes repeats from an answer: of memories that say the same one is kept, and those that say nothing go.

In storage nothing is merged: this concerns the block and the items of one answer.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple

from services.retriever.domain.idle_turns import SHIPPED, is_command, says_the_same
from services.retriever.domain.showable import M, Showable
from shared.contracts.parts import Kind, Role
from shared.contracts.queries import Fate, Outdated
from shared.language.questions.reactions import only_reacts, only_thanks
from shared.language.text.length import beginning
from shared.language.text.phrasing import HESITATIONS, INTENSIFIERS, OPENINGS, PARTINGS
from shared.language.text.stating import content_words, has_enough

_LONG = re.compile(r"\w{4,}")
_TYPED = ("im", "ive", "ill", "u", "ur", "pls", "btw")
_FILLERS = frozenset((*_TYPED, *HESITATIONS, *INTENSIFIERS, *(word for words in (*OPENINGS, *PARTINGS) for word in words)))


class ToldWording(NamedTuple):
    """What of a memory's words tells whether they say something, and the same as others."""

    key: int  # equal for texts that say the same: `wording_key`
    says_nothing: bool  # a turn that only reacts or only tells the memory what to do, in the shipped languages


class Sifted(NamedTuple, Generic[M]):
    """The memories that stay, in order; why each of the others was left out, by number; and which one says it, by id."""

    kept: Sequence[M]
    left_out: dict[int, Fate]
    said_by: dict[str, str]  # without those that are idle


def sift(
    ranked: Sequence[M],
    question: str,
    languages: Sequence[str] = SHIPPED,
    *,
    commands: Collection[str] = (),
    wordings: Mapping[int, ToldWording] | None = None,
) -> Sifted[M]:
    """The memories without those that say no more than another, or nothing at all.

    - Of turns of one speaker in the same words the best stays; it names the others in `said_again`.
    - A turn and the facts that were learned from it are shown once, at the best place of all: as the facts if these say at
      least as much, else as the turn. A fact also stands for a turn in its own words.
    - A turn that only asks what is asked now, only reacts, or only tells the memory what to do, says nothing. `commands`: the
      message ids of turns that were carried out as commands; `wordings`: what is known of the words of all, by their numbers.
    """
    known = wordings or {}
    idle = {
        each.number
        for each in ranked
        if is_idle(each, question, languages, known.get(each.number)) or _is_command(each, commands)
    }
    telling = [memory for memory in ranked if memory.number not in idle]
    keys = {each.number: known[each.number].key if known else wording_key(each.text) for each in telling}
    groups = _groups(telling, keys)
    shown = _Once(groups, keys).shown
    kept: dict[int, M] = {}
    for group in groups:
        for best in shown[group[0].number]:
            kept.setdefault(best.number, best)
    gone = [(memory, shown[group[0].number][0]) for group in groups for memory in group if memory.number not in kept]
    left_out = {memory.number: Fate.DUPLICATE for memory, _ in gone} | dict.fromkeys(idle, Fate.IDLE)
    return Sifted(list(kept.values()), left_out, {memory.memory_id: other.memory_id for memory, other in gone})


def is_idle(memory: Showable, question: str, languages: Sequence[str], wording: ToldWording | None = None) -> bool:
    """True if a turn only asks what is asked now, only reacts, or only tells the memory what to do.

    `wording`: of the memory, where it is known.
    """
    if memory.kind is not Kind.EPISODE:
        return False
    if wording is None:
        is_silent = says_nothing(memory.text, memory.role, memory.speaker, languages)
    else:
        others = [each for each in languages if each not in SHIPPED]
        is_silent = wording.says_nothing or _is_command_in(memory, others)
    return is_silent or (memory.role is Role.USER and _asks_the_same(memory.text, question, wording))


def says_nothing(text: str, role: Role | None, speaker: str | None, languages: Sequence[str] = SHIPPED) -> bool:
    """True if a turn only reacts or only tells the memory what to do, whatever is asked.

    Questions and praise say nothing where they are a bot's; who has a name may ask what tells something.
    """
    if role is Role.ASSISTANT and not speaker:
        return only_reacts(text)
    return only_thanks(text) or (role is Role.USER and is_command(text, languages))


def wording_of(memory: Showable) -> ToldWording:
    """Return the key of a memory's wording, and whether its words say nothing."""
    is_turn = memory.kind is Kind.EPISODE
    return ToldWording(wording_key(memory.text), is_turn and says_nothing(memory.text, memory.role, memory.speaker))


def _is_command_in(memory: Showable, languages: Sequence[str]) -> bool:
    return bool(languages) and memory.role is Role.USER and is_command(memory.text, languages)


def _asks_the_same(text: str, question: str, wording: ToldWording | None) -> bool:
    if not text.rstrip().endswith(("?", "？", "؟")):
        return False
    key = wording.key if wording else wording_key(text)
    return key == _key_of_question(question) and says_the_same(text, question)


def _is_command(memory: Showable, commands: Collection[str]) -> bool:
    return memory.kind is Kind.EPISODE and memory.message_id in commands


def says_no_more(turn: str, facts: Iterable[str]) -> bool:
    """True if a turn says hardly more than these facts do together.

    >>> says_no_more("well, I live in Leeds", ["The user lives in Leeds."])
    True
    """
    said = content_words(turn) - _FILLERS
    known = frozenset[str]().union(*map(content_words, facts))
    return said <= known or has_enough(known, said)


def _groups(memories: Sequence[M], keys: Mapping[int, int]) -> list[list[M]]:
    """Groups of turns of one speaker that say the same, the best first; each fact is a group of its own."""
    groups: list[list[M]] = []
    alike: defaultdict[tuple[object, ...], list[list[M]]] = defaultdict(list)
    for memory in memories:
        known = alike[memory.role, memory.speaker, keys[memory.number]] if memory.kind is Kind.EPISODE else []
        group = next((each for each in known if says_the_same(each[0].text, memory.text)), None)
        if group is None:
            group = []
            groups.append(group)
            known.append(group)
        group.append(memory)
    return groups


class _Once(Generic[M]):
    """Decides for every group of turns and the facts that were learned from it which of both is shown."""

    def __init__(self, groups: Sequence[Sequence[M]], keys: Mapping[int, int]) -> None:
        self._keys = keys
        self.shown = {group[0].number: [_with_repeats(group)] for group in groups}
        self._facts = [group[0] for group in groups if group[0].kind is not Kind.EPISODE]
        self._citing: defaultdict[str, list[M]] = defaultdict(list)
        self._alike: defaultdict[int, list[M]] = defaultdict(list)
        self._stays: set[int] = set()
        self._heirs = {heir for group in groups for old in group for heir in old.outdated_by}
        self._turns = {turn.memory_id: turn for group in groups for turn in group if turn.kind is Kind.EPISODE}
        for fact in self._facts:
            self._alike[keys[fact.number]].append(fact)
            for source in fact.source_ids:
                self._citing[source].append(fact)
        for group in groups if self._facts else ():
            if group[0].kind is Kind.EPISODE:
                self._decide(group)

    def _decide(self, turns: Sequence[M]) -> None:
        """Show a group of turns as the facts that say it, or the facts as the turns; an old turn stands for no fact."""
        first = turns[0]
        if first.outdated is Outdated.WHOLLY:
            return
        if same := next((fact for turn in turns for fact in self._worded_like(turn)), None):
            self._show_facts(first, [same])
        elif facts := self._learned_from(turns):
            staying = [fact for fact in facts if fact.number in self._stays]
            if staying or self._are_shown(facts, first):
                self._show_facts(first, staying or facts)
            elif not first.outdated:
                for fact in facts:
                    self.shown[fact.number] = self.shown[first.number]

    def _show_facts(self, turn: M, facts: list[M]) -> None:
        self.shown[turn.number] = facts
        self._stays.update(fact.number for fact in facts)

    def _learned_from(self, turns: Sequence[M]) -> list[M]:
        """The facts that rest on one of these turns, without those that another turn stands for."""
        found = {fact.number: fact for turn in turns for fact in self._citing.get(turn.memory_id, ())}
        return [fact for fact in found.values() if self.shown[fact.number][0] is fact]

    def _are_shown(self, facts: Sequence[M], turn: M) -> bool:
        """True if the facts of a turn are shown in its place.

        They are if one was saved by hand, says what its age comes to by now or holds in the place of something, or if they
        leave out no more words of the turn than they have that no turn has; the digits of a date worked out do not count.
        """
        if any(each.manually_saved or each.pinned or each.by_now or each.memory_id in self._heirs for each in facts):
            return True
        known = _words(fact.text for fact in facts)
        turns = (self._turns[source].text for fact in facts for source in fact.source_ids if source in self._turns)
        added = {word for word in known - _words(turns) if not word.isdigit()}
        return len(_words([beginning(turn.text)]) - _FILLERS - known) <= len(added)

    def _worded_like(self, turn: M) -> Iterator[M]:
        alike = self._alike.get(self._keys[turn.number], ())
        return (fact for fact in alike if self.shown[fact.number][0] is fact and says_the_same(fact.text, turn.text))


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(content_words, texts))


def _with_repeats(group: Sequence[M]) -> M:
    best, *others = group
    return best.replaced(said_again=tuple(turn.memory_id for turn in others)) if others else best


def wording_key(text: str) -> int:
    """A number of 64 bits that is equal for texts that say the same: a hash of the longer words, folded, without fillers.

    >>> wording_key("Well, the spare key!") == wording_key("The spare key"), wording_key("The spare key") == wording_key("keys")
    (True, False)
    """
    words = frozenset(_LONG.findall(text.casefold())) - _FILLERS
    digest = hashlib.blake2b(" ".join(sorted(words)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


_key_of_question = lru_cache(16)(wording_key)
"""It is compared with each turn that asks something."""
