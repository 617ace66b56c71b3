"""A clause as `weighing` reads it: its words, what is told in it, and whether it is about somebody or something else."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NamedTuple

from shared.language.commands.cue_words import DoubtWords

_FOLLOWING = 6
_TEMPORAL = 6
_SHORTEST_ENDED = 5
_NO_ENDING = "-"
_SIGNS = frozenset((",", ":"))
_COLON = frozenset((":",))


class Weighed(NamedTuple):
    """A clause: its words, with those of compounds apart; where it begins and ends; and what stands around it."""

    words: Sequence[str]
    start: int
    end: int
    is_first: bool  # a message begins with it
    has_colon: bool  # after it
    is_joined: bool = False  # it has commas in it
    has_content: bool = False  # what is told stands in it

    def has(self, *kinds: AbstractSet[str]) -> bool:
        """Whether any word is of one of these kinds."""
        return any(not kind.isdisjoint(self.words) for kind in kinds)

    def first(self, kind: AbstractSet[str], start: int = 0) -> int | None:
        """Where the first word of a kind is."""
        return next((at for at, word in enumerate(self.words[start:], start) if word in kind), None)


def weighed_clauses(words: str, joints: AbstractSet[str], *, is_first: bool) -> Iterator[Weighed]:
    """The clauses of a line, between commas, colons and words such as `but`; then those between commas as a whole."""
    both = _SIGNS | joints
    for borders in (both, _SIGNS, _COLON):
        at, begin, clause = 0, 0, list[str]()
        for word in (*words.split(), ""):
            if not word or word in borders:
                if clause and (borders is both or not both.isdisjoint(clause)):
                    yield Weighed(
                        _apart(word for word in clause if word not in _SIGNS),
                        begin,
                        at,
                        is_first and begin == 0,
                        word == ":",
                        borders is _COLON,
                    )
                begin, clause = at + len(word) + 1, []
            else:
                clause.append(word)
            at += len(word) + 1


def _apart(clause: Iterable[str]) -> list[str]:
    """Words with the parts of compounds apart: `no-notes`, `memory-free`."""
    return [part for word in clause for part in (word.split("-") if "-" in word else (word,)) if part]


def without_content(said: Weighed, doubt: DoubtWords) -> Weighed:
    """A clause without what is told in it: `the fact that I cried`; `has_content` says that it was."""
    words = list(said.words)
    at = next((at for at in range(len(words) - 1) if _begins_content(words, at, doubt)), None)
    if at is None:
        return said
    if at > 1 and not doubt.weighed.isdisjoint(words[:at]):
        return said._replace(words=words[:at], has_content=True)
    end = next((i for i, word in enumerate(words) if i > at + 1 and word in doubt.shall | doubt.denies), None)
    return said if end is None else said._replace(words=words[end:], has_content=True)


def _begins_content(words: Sequence[str], at: int, doubt: DoubtWords) -> bool:
    """True for the `fact` of `the fact that I cried` and the `of` of `no trace of my being there`."""
    if words[at] in doubt.facts or (
        at > 1
        and words[at] in doubt.content
        and words[at + 1] in doubt.mine & doubt.own
        and words[0] in doubt.denies | doubt.binds
    ):
        return True
    is_wished = not doubt.wants.isdisjoint(words[:at])
    return is_wished and words[at] in doubt.of - doubt.from_ and words[at + 1] in doubt.mine and words[at + 2 : at + 3] != []


def unknown_words(words: Sequence[str], doubt: DoubtWords) -> int:
    """How many words are none of such a wish."""
    return sum(
        word not in doubt.weighed and not (len(word) > _SHORTEST_ENDED and word.endswith(doubt.endings or (_NO_ENDING,)))
        for word in words
    )


def is_of_the_person(said: Weighed, doubt: DoubtWords) -> bool:
    """True for `I don't remember this`; not for `I don't want this remembered`, `what I tell you`."""
    for at, word in enumerate(said.words):
        before = said.words[max(at - 2, 0) : at]
        is_were = word in doubt.past and at and doubt.whens.isdisjoint(before)  # no `we're`
        if word not in doubt.own or is_were or not doubt.together_with.isdisjoint(before[-1:]):
            continue
        following = said.words[at + 1 : at + 1 + _FOLLOWING]
        does = doubt.tells | doubt.hears
        if not doubt.whens.isdisjoint(before):
            does |= doubt.leaves
        told = next((i for i, each in enumerate(following) if each in does), None)
        if told is not None and (doubt.denies | doubt.bans).isdisjoint(following[:told]):
            continue
        wished = next((i for i, each in enumerate(following) if each in doubt.wants), None)
        if wished is None or not (doubt.keeps - doubt.wants).isdisjoint(following[:wished]):
            return True
        to = following[wished + 1 : wished + 3]
        if (
            len(to) > 1
            and following[wished] not in doubt.frees
            and to[0] in doubt.infinitives
            and to[1] in doubt.keeps | doubt.erases | doubt.moves
        ):
            return True
    return False


def is_asked(said: Weighed, doubt: DoubtWords) -> bool:
    """True for `don't you remember this` and `is this saved`."""
    first, second = said.words[:2]
    if second in doubt.denies:  # `do not take minutes`
        return False
    if first in doubt.denies and second in doubt.yours and doubt.dares.isdisjoint(said.words[2:3]):
        return True
    return first in doubt.asks and first not in doubt.wants and first not in doubt.denies


def is_of_another_thing(said: Weighed, doubt: DoubtWords) -> bool:
    """True for `this photo isn't saved` and `my memory`: what is kept, or what keeps it, is another thing."""
    words = without_time(said.words, doubt)
    pairs = [*pairwise(words)]
    is_named = any(_names(words, at, said, doubt) for at in range(len(words) - 1))
    is_own = any(a in doubt.mine and b in doubt.minds | doubt.places and b not in doubt.files for a, b in pairs)
    is_owned = doubt.has_free_order and any(a in doubt.owners and b not in doubt.weighed for a, b in pairs)
    return is_named or is_own or is_owned


def _names(words: Sequence[str], at: int, said: Weighed, doubt: DoubtWords) -> bool:
    """Whether a thing is named here: the `this` of `save this photo`; not of `don't let this colour what you know`."""
    if words[at] not in doubt.this:
        return False
    is_object = at == 0 or words[at - 1] in doubt.keeps | doubt.erases or not said.has(doubt.wants, doubt.binds)
    return words[at + 1] in doubt.minds | doubt.nouns or (is_object and words[at + 1] not in doubt.weighed)


def points(said: Weighed, doubt: DoubtWords) -> bool:
    """Whether a clause points at what is said, or at something personal."""
    told = (a in doubt.relatives and b in doubt.own for a, b in pairwise(said.words))  # `what I tell you`
    return said.has(doubt.this, doubt.next) or is_personal(said.words, doubt) or any(told)


def is_personal(words: Sequence[str], doubt: DoubtWords) -> bool:
    """True for `my salary`."""
    owned = (at for at, word in enumerate(words) if word in doubt.mine)
    return any(not doubt.personal.isdisjoint(words[at + 1 : at + 2]) for at in owned)


def without_time(words: Sequence[str], doubt: DoubtWords) -> list[str]:
    """Words without those that say when: `once I close this window`."""
    at = next((at for at, word in enumerate(words) if word in doubt.whens), len(words))
    return [*words[:at], *words[at + _TEMPORAL :]]
