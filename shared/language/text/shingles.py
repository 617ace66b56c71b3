"""Recognises repeated passages by keyed 64-bit hashes of every five words in a row, and of whole sentences of two to four.

Case, punctuation and white space make no difference. Scripts without spaces (Chinese, Japanese, Thai and others) count each
character as a word.

Source: Broder, "On the resemblance and containment of documents" (1997): w-shingling, here with w = 5 and a secret key.
"""

import hashlib
import re
import struct
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from shared.contracts.ids import Scope
from shared.contracts.parts import HASH_BYTES
from shared.domain.digests import Digester
from shared.language.text.sentences import sentence_ends, word_ranges
from shared.language.text.words import Word, words_of

WORDS = 5
"""Words of a shingle: four in a row often agree by chance ("I would like to"), five seldom."""

_FEWEST = 2
"""Least words of a sentence: one word ("Thanks.") shows nothing about where it comes from."""

_QUOTED_END = re.compile(r"[\"“”„«»:;()\[\]*]|\s[-–—]\s")


class Passage(NamedTuple):
    """Consecutive words of a text and their hash."""

    first: int  # index of the word
    last: int
    hash: int  # 64 bits


class Shingler:
    """Hashes passages for one scope: equal words of two people have different hashes."""

    def __init__(self, digester: Digester, scope: Scope) -> None:
        self._blank = hashlib.blake2b(f"{scope}\0".encode(), key=digester.key, digest_size=HASH_BYTES, person=b"shingle")

    def shingles(self, words: Sequence[Word]) -> Iterator[Passage]:
        """The passages of five words in a row."""
        folded = [word.folded for word in words]
        for first in range(len(words) - WORDS + 1):
            yield Passage(first, first + WORDS - 1, self._hash(folded[first : first + WORDS]))

    def short_quotations(self, text: str, words: Sequence[Word]) -> Iterator[Passage]:
        """The passages of two to four words that are a sentence or quotation, or stand in brackets, after a colon or dash."""
        ends = set(sentence_ends(text))
        quoted = ends.union(end.end() for end in _QUOTED_END.finditer(text))
        return self._short({*word_ranges(words, ends), *word_ranges(words, quoted)}, words)

    def hashes(self, text: str, *, most: int) -> list[int]:
        """At most `most` different hashes by which the text or a part of it is recognised, in text order."""
        words = words_of(text, most + WORDS)
        found = sorted([*self.shingles(words), *self._short(word_ranges(words, [*sentence_ends(text)]), words)])
        return list(dict.fromkeys(passage.hash for passage in found))[:most]

    def _short(self, ranges: Iterable[tuple[int, int]], words: Sequence[Word]) -> Iterator[Passage]:
        for first, after in sorted(ranges):
            if _FEWEST <= after - first < WORDS:
                yield Passage(first, after - 1, self._hash([word.folded for word in words[first:after]]))

    def _hash(self, folded: Sequence[str]) -> int:
        hashed = self._blank.copy()
        hashed.update("\0".join(folded).encode(errors="surrogatepass"))
        return int.from_bytes(hashed.digest(), "little")


def raw(hashes: Sequence[int]) -> bytes:
    """Hashes in 8 bytes each."""
    return struct.pack(f"<{len(hashes)}Q", *hashes)


def unpack(packed: str) -> bytes:
    """The bytes of hashes in base64, as older events hold them; contracts have validated it."""
    return b64decode(packed, validate=True)


def each(packed: bytes) -> tuple[int, ...]:
    """The hashes in these bytes."""
    return struct.unpack(f"<{len(packed) // HASH_BYTES}Q", packed)
