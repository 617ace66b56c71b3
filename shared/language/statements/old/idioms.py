"""Idioms: wordings that are read as plainer ones, so that one rule reads all of them: `tied the knot` as `got married`."""

import functools
import re
from collections.abc import Mapping, Sequence

from shared.contracts.contract import Contract
from shared.language.statements.old.notation import with_parts


class Idiom(Contract):
    """A wording, as a regular expression over words in lower case with single spaces, and what it means."""

    word: str  # words of which one is in the wording, whatever else is
    says: str  # may name parts of the file's table: `no <food> for me`
    means: str
    r"""The plainer words; `\1` stands for what the first group found."""


class IdiomIndex:
    """The idioms of a language, tried only on words that hold one of theirs."""

    def __init__(
        self, idioms: Sequence[Idiom], parts: Mapping[str, str] | None = None, me: Sequence[str] = (), my: Sequence[str] = ()
    ) -> None:
        """`me`, `my`: words for the speaker. An idiom that adds a `my` is read only where the speaker is its subject."""
        self._me, self._my = frozenset(me), frozenset(my)
        self._by_word: dict[str, list[int]] = {}
        self._idioms = tuple(idioms)
        self._says = tuple(with_parts(idiom.says, parts or {}) for idiom in idioms)
        for place, idiom in enumerate(idioms):
            for word in idiom.word.split():
                self._by_word.setdefault(word, []).append(place)

    def plainer(self, words: Sequence[str]) -> list[str]:
        """The words with the idioms among them made plain, in the order in which these are listed.

        >>> IdiomIndex([Idiom(word="knot", says="tied the knot", means="got married")]).plainer("we tied the knot".split())
        ['we', 'got', 'married']
        """
        places = sorted({place for word in words for place in self._by_word.get(word, ())})
        text = " ".join(words)
        for place in places:
            means = self._idioms[place].means
            found = _pattern(self._says[place]).search(text)
            added = self._my.intersection(means.split()).difference(found[0].split()) if found else ()
            if found and not (added and found.start() and self._me.isdisjoint(text[: found.start()].split())):
                text = _pattern(self._says[place]).sub(means, text)
        return text.split() if places else list(words)


@functools.cache
def _pattern(says: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)(?:{says})(?!\S)")
