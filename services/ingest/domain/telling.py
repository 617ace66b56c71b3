"""Recognises what was forgotten in other words: by keyed hashes of the distinctive words, and of the query that named it.

A text states what was forgotten if it has
- a name or long number that nothing else holds, or the query's one word; a name that many people know one of, as Anna, only
  where others say it, if the query did not name it; or
- half of its words, two at least, and one of its names; one word where others say it, if not everybody uses that often; or
- three quarters of its words but the names and what goes with many things (`last week`), two at least, or half of them if
  others than its person say it to them, or say three of them of nobody else. Where it names somebody else in place of the
  one who was meant, other kin or another day, it says something else: `Anna is allergic to walnuts` is not `Zorvanda is`; or,
  where others say it to the person,
- a word of it that hardly anybody uses, or nothing but what was forgotten.
Source: ../design/mission.md, the ruling on tombstones.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from services.ingest.domain.recognising import of_recent_texts
from services.ingest.domain.simhash import keyed_hashes
from shared.domain.digests import Digester
from shared.language.statements.identifying import dates, relations
from shared.language.text.distinctive import beginnings, distinctive, passage, passages
from shared.language.text.mentions import plain

_LEAST = 2
_ENOUGH = 0.75
_ENOUGH_WITH_A_NAME = 0.5
_ENOUGH_OF_OTHERS = 0.5
_MANY = 3
"""Words by which others state something, half of all, without saying of whom: `are the pills a problem since the divorce?`."""
_FEW = 8
"""So many passages are compared quicker than their words are looked up."""


@dataclass(frozen=True, slots=True)
class TellingWords:
    """The distinctive words of what was forgotten, as keyed hashes."""

    words: frozenset[bytes] = frozenset()  # its content words but names and light ones
    light: frozenset[bytes] = frozenset()  # content words that go with many things
    names: frozenset[bytes] = frozenset()
    alone: frozenset[bytes] = frozenset()  # those of which one is enough
    rare: frozenset[bytes] = frozenset()  # those of which one is enough if others say it to the person
    must: frozenset[bytes] = frozenset()  # those of which one must be there, if any: the rest is said anew with another value


class SaidWords(NamedTuple):
    """The words of a passage, as keyed hashes, to look for distinctive ones in."""

    words: frozenset[bytes]
    wholes: frozenset[bytes]
    others: frozenset[bytes]  # names, but of those whom it greets
    content: frozenset[bytes]  # of its words the content that is not light
    telling: frozenset[bytes]  # of these what not everybody uses
    rare: frozenset[bytes]
    is_of_the_talk: bool
    is_to_them: bool
    comparable: frozenset[bytes]  # the roots of all words for a relation, a day or a month: another one tells something else


def _said(text: str, digester: Digester) -> tuple[SaidWords, ...]:
    return tuple(_passage(each, digester) for each in passages(text))


def _labelled(label: str, digester: Digester) -> tuple[SaidWords, ...]:
    return tuple(_passage(each, digester, is_label=True) for each in passages(label))


def _passage(text: str, digester: Digester, *, is_label: bool = False) -> SaidWords:
    found = passage(text, is_label=is_label)
    return SaidWords(
        roots_of(found.words, digester),
        wholes_of(found.wholes, digester),
        wholes_of(found.names, digester),
        roots_of(found.content, digester),
        roots_of(found.telling, digester),
        roots_of(found.rare, digester),
        found.is_of_the_talk,
        found.is_to_them,
        _comparable(digester),
    )


@lru_cache(maxsize=16)
def _comparable(digester: Digester) -> frozenset[bytes]:
    return roots_of(beginnings(map(plain, relations() | dates())), digester)


said_in = of_recent_texts(_said)
"""What each passage of a text says, cached: a command is decided several times."""

labels_in = of_recent_texts(_labelled)
"""What each passage of a label says, as of a tag, which is about the person without saying so; cached likewise."""


class Alone(NamedTuple):
    """Those words of a text of which one is enough."""

    ever: frozenset[str] = frozenset()
    of_others: frozenset[str] = frozenset()  # if others than its person say it


def telling(text: str, alone: Alone, digester: Digester, *, renewed: frozenset[str] = frozenset()) -> TellingWords | None:
    """What recognises a text in other words, given those of which one is enough.

    `renewed`: the words that its person says instead. None if these are all of its words.
    """
    found = distinctive(text)
    must = found.all - renewed if renewed else frozenset[str]()
    if renewed and not must:
        return None
    if any(map(str.isdecimal, renewed - found.all)):  # a number in place of another
        must = frozenset(filter(str.isdecimal, must)) or must
    return TellingWords(
        roots_of(found.words, digester),
        roots_of(found.light, digester),
        wholes_of(found.names, digester),
        wholes_of(alone.ever, digester),
        roots_of(found.rare, digester) | wholes_of(alone.of_others, digester),
        roots_of(must, digester),
    )


def roots_of(words: Iterable[str], digester: Digester) -> frozenset[bytes]:
    """The keyed hashes of the roots of words."""
    return frozenset(keyed_hashes(digester.key, b"roots", words))


def wholes_of(words: Iterable[str], digester: Digester) -> frozenset[bytes]:
    """The keyed hashes of whole words."""
    return frozenset(keyed_hashes(digester.key, b"wholes", words))


class Passages:
    """The passages of a text by their words: so a long text is not compared as a whole with each of many tombstones."""

    def __init__(self, said: Iterable[SaidWords]) -> None:
        self._said = list(dict.fromkeys(said))
        self._saying: defaultdict[bytes, list[int]] = defaultdict(list)
        for place, each in enumerate(self._said if len(self._said) > _FEW else ()):
            for word in each.words | each.wholes | each.rare:
                self._saying[word].append(place)

    def sharing_a_word(self, forgotten: TellingWords) -> list[SaidWords]:
        """The passages that have a word of what was forgotten, for no other can tell it; all where they are few."""
        if len(self._said) <= _FEW:
            return self._said
        words = forgotten.words | forgotten.light | forgotten.names | forgotten.alone | forgotten.rare
        return [self._said[place] for place in sorted({each for word in words for each in self._saying.get(word, ())})]


def tells(forgotten: TellingWords, said: SaidWords, *, by_others: bool) -> bool:
    """True if a passage states what was forgotten. `by_others`: its person did not say it."""
    if forgotten.must and forgotten.must.isdisjoint(said.words):
        return False
    if not forgotten.alone.isdisjoint(said.wholes):
        return True
    if by_others and not (forgotten.rare.isdisjoint(said.rare) and forgotten.rare.isdisjoint(said.wholes)):
        return True
    words = forgotten.words | forgotten.light
    if (words - said.words) & said.comparable and (said.words - words) & said.comparable:  # `my father`, `on Wednesday`
        return False
    named = len(forgotten.names & said.wholes)
    if not named:
        return _tells_unnamed(forgotten, said, by_others=by_others)
    return (by_others and not forgotten.words.isdisjoint(said.telling)) or _tells_half(forgotten, said, named)


def _tells_half(forgotten: TellingWords, said: SaidWords, named: int) -> bool:
    shared = named + len(forgotten.words & said.words) + len(forgotten.light & said.words)
    every = len(forgotten.words) + len(forgotten.light) + len(forgotten.names)
    return shared >= _LEAST and shared >= _ENOUGH_WITH_A_NAME * every


def _tells_unnamed(forgotten: TellingWords, said: SaidWords, *, by_others: bool) -> bool:
    shared, is_to_them = forgotten.words & said.words, by_others and said.is_to_them
    if said.others and (forgotten.names or not said.is_of_the_talk):
        return False
    if is_to_them and _tells_with_light_words(forgotten, said):
        return True
    if len(shared) < _LEAST:
        return False
    if is_to_them and said.content <= forgotten.words:
        return True
    if forgotten.names and shared.isdisjoint(said.telling):  # as `your brother's house`
        return False
    has_many = by_others and len(shared) >= _MANY and not shared.isdisjoint(said.telling)
    enough = _ENOUGH_OF_OTHERS if is_to_them or has_many else _ENOUGH
    return len(shared) >= enough * len(forgotten.words)


def _tells_with_light_words(forgotten: TellingWords, said: SaidWords) -> bool:
    """True for `You got fired on Tuesday`, where only one word has weight."""
    heavy, light = forgotten.words & said.telling, len(forgotten.light & said.words)
    every = len(forgotten.words) + len(forgotten.light)
    return bool(heavy) and light >= _LEAST and len(heavy) + light >= _ENOUGH * every
