"""Words as they are written with care: `mude` is `mudé`, `muede` is `müde`, `jai` is `j'ai`, `wohn` is `wohne`."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from unicodedata import category, normalize

_WORD = re.compile(r"[^\W\d_]+")
_COMMENT = re.compile(r"^#.*$", re.MULTILINE)
_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_SHORTEST = 3


class Writing:
    """Gives the words of a language back what is left out in a hurry: accents, apostrophes, the ending of a verb."""

    def __init__(
        self, document: str, verbs: Collection[str], elisions: Sequence[str] = (), clipped: Mapping[str, str] | None = None
    ) -> None:
        """`document`: a text with all words of the language that matter; `clipped`: verbs by their form without the ending."""
        self._document, self._short = document, clipped or {}
        self._known = frozenset(_WORD.findall(_COMMENT.sub("", document.lower())))
        self._verbs, self._elisions = verbs, elisions
        self._accented = {plain: word for word in sorted(self._known) for plain in _hurried(word) if plain not in self._known}
        self._clipped = {short: verb for short, verb in self._short.items() if short not in self._known}

    def and_words_of(self, document: str) -> Writing:
        """A writing that knows the words of a further text, too."""
        return Writing(f"{self._document}\n{document}", self._verbs, self._elisions, self._short)

    def written(self, word: str) -> str:
        """A word in lower case as it is written with care; as it is where it is a word of the language itself.

        >>> writing = Writing("mudé étudie", {"étudie"}, ("j",))
        >>> [writing.written(word) for word in ("mude", "jetudie", "york")]
        ['mudé', "j'étudie", 'york']
        """
        if word in self._known:
            return word
        whole = self._accented.get(word) or self._clipped.get(word)
        return whole or next(self._apart(word), word)

    def text(self, text: str) -> str:
        """A text with all its words as they are written with care, in lower case."""
        return _WORD.sub(lambda found: self.written(found[0]), text.lower())

    @functools.cached_property
    def hurried(self) -> frozenset[str]:
        """The words of the language as they are written in a hurry."""
        verbs = {*self._verbs, *(plain for plain, word in self._accented.items() if word in self._verbs)}
        elided = {first + verb for first in self._elisions for verb in verbs} - self._known
        return frozenset(elided.union(word for word in self._accented if len(word) > _SHORTEST))

    def _apart(self, word: str) -> Iterator[str]:
        """`j'ai` of `jai`."""
        for first in self._elisions:
            rest = word.removeprefix(first)
            verb = self._accented.get(rest, rest)
            if rest != word and verb in self._verbs:
                yield f"{first}'{verb}"


def _hurried(word: str) -> set[str]:
    """How a word with accents is typed without them."""
    if word.isascii() or len(word) < _SHORTEST:
        return set()
    return {word.translate(_TWO_LETTERS), _plain(word), _plain(word.replace("ß", "ss"))}


def _plain(word: str) -> str:
    return "".join(each for each in normalize("NFD", word) if category(each) != "Mn")
