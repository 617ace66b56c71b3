"""Splits text into the pieces of BERT-uncased, as the `tokenizers` library does, without that library.

NOTICE: shared/language/text/vocab.txt is the vocabulary of BERT-base-uncased, by Google, under the Apache License 2.0;
unchanged.
Source: Devlin et al., BERT, arXiv:1810.04805; the normaliser as in `tokenizers` (BertNormalizer, BertPreTokenizer).
Unlike there, "[SEP]" and its like are plain text here when a text contains them.
"""

import functools
import re
import string
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import shared.language.text
from shared.language.text.frequency import vocabulary
from shared.runtime.embedders.local import check_sha256

_VOCABULARY = Path(shared.language.text.__file__).with_name("vocab.txt")
_VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
# White space, less the control characters among it: those are dropped, and what stood around them becomes one word.
_WORD = re.compile(r"[^\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
# As BERT defines them, whatever shared.language.text.scripts says: the vocabulary was made with these.
_IDEOGRAPH = re.compile(
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f])"
)
_PUNCTUATION = frozenset(string.punctuation)
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs"})  # not Cn: what this Python's Unicode does not know may well be visible
_LONGEST_WORD = 100  # characters; a longer one is unknown
_LONGEST_KEPT = 32  # characters; bounds the memory that the cache takes
_WORDS_KEPT = 20_000


class WordPiece:
    """Turns text into piece ids, greedily by longest match."""

    def __init__(self, vocabulary: Mapping[str, int], *, most_pieces: int = 256) -> None:
        self._vocabulary = vocabulary
        self._most_pieces = most_pieces
        self._most_chars = most_pieces * _LONGEST_WORD  # of one word; bounds the time that a text without spaces takes
        self._start, self._end, self._unknown = (vocabulary[name] for name in ("[CLS]", "[SEP]", "[UNK]"))
        self._kept = functools.lru_cache(_WORDS_KEPT)(self._pieces)

    def ids(self, text: str) -> list[int]:
        """The ids of [CLS], the pieces of the text, and [SEP]: at most `most_pieces` in all."""
        ids = [self._start]
        for match in _WORD.finditer(text):
            word = match.group()
            ids.extend(self._kept(word) if len(word) <= _LONGEST_KEPT else self._pieces(word[: self._most_chars]))
            if len(ids) >= self._most_pieces:
                break
        return [*ids[: self._most_pieces - 1], self._end]

    def _pieces(self, word: str) -> tuple[int, ...]:
        return tuple(islice((piece for part in _parts(word) for piece in self._match(part)), self._most_pieces))

    def _match(self, part: str) -> list[int]:
        """Split a word: the longest known beginning, then that of the rest; [UNK] alone if a rest has none."""
        if len(part) > _LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(part):
            prefix = "##" if start else ""
            ends = range(len(part), start, -1)
            end = next((end for end in ends if prefix + part[start:end] in self._vocabulary), None)
            if end is None:
                return [self._unknown]
            found.append(self._vocabulary[prefix + part[start:end]])
            start = end
        return found


def bert_uncased(*, most_pieces: int = 256) -> WordPiece:
    """The tokenizer of the vendored vocabulary. Raises Misconfigured when that file is damaged."""
    check_sha256(_VOCABULARY, _VOCABULARY_SHA256)
    return WordPiece(vocabulary(), most_pieces=most_pieces)


def _parts(word: str) -> Iterator[str]:
    """Split a word at punctuation and ideographs; in lower case, without accents and control characters."""
    visible = "".join(char for char in word if not _is_dropped(char))
    spaced = _IDEOGRAPH.sub(r" \1 ", visible)
    bare = (char for char in unicodedata.normalize("NFD", spaced) if unicodedata.category(char) != "Mn")
    lowered = "".join(char.lower() for char in bare)  # one by one: a whole word would end in a final sigma
    yield from "".join(f" {char} " if _is_punctuation(char) else char for char in lowered).split()


def _is_dropped(char: str) -> bool:
    return char == "\ufffd" or unicodedata.category(char) in _INVISIBLE


def _is_punctuation(char: str) -> bool:
    return char in _PUNCTUATION or unicodedata.category(char).startswith("P")
