"""A small model of what a person wishes of the memory where no phrase of a language file says it.

Logistic regressions over hashed n-grams of the words of a sentence and of the kinds of these words, trained by `bench/wishes`.
They read all shipped languages at once. Each question has weights of its own in `wish_weights.json`.
"""

from __future__ import annotations

import json
import re
import tomllib
from array import array
from base64 import b85decode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from math import log
from typing import NamedTuple
from zlib import crc32, decompress

from shared.language.commands.phrases import normal
from shared.language.commands.slips import Slips

BUCKETS = 1 << 15
"""Hashed features; a power of two."""
QUESTIONS = ("withhold", "next", "bare", "forget")
UNIT = 4
"""Steps of a weight to one logit."""
_MOST_CHUNKS, _MOST_WORDS = 60, 60
_LONGEST, _HALF, _NEAR = 22, 8, 7
"""Words, with two marks, of a sentence that is read whole, to each side of what may be a wish in a longer one, and from it to what denies."""
_AMID = 2.0
"""Logits that a part of a long sentence has to have more: less is seen of what it belongs to."""
_MOST_BETWEEN = 3
_BETWEEN = frozenset("_YITDO")
"""Words, and their kinds, between what denies and what erases."""
_WORDS_TOGETHER, _KINDS_TOGETHER, _LETTERS_TOGETHER = 3, 4, 4
_TOKEN = re.compile(r"[#/]?\w+|[,:;()\[\]–—|?-]")
_OTHER, _BEGIN, _END = "_", "<", ">"
_STRONG, _WEAK, _DENIES = frozenset("ES"), frozenset("KPR"), "D"
"""Kinds of which one word may be a wish, and those of which one may be with a word that denies."""
_KINDS = {
    "denies": "D", "lacks": "D", "keeps": "K", "places": "P", "erases": "E", "hides": "S", "hears": "R", "points": "T", "listener": "Y",
    "speaker": "I", "others": "O", "comes": "N",
}  # fmt: skip


class Wish(NamedTuple):
    """How likely it is that a message wishes something, in logits: above 0 it is more likely than not."""

    withhold: float  # the message is not to be kept
    next: float  # if it is not: nor is the following one
    bare: float  # if it is not: it tells nothing else
    forget: float  # what is known of something is to be forgotten


class Weights(NamedTuple):
    """What was learned for a question: a bias, and a weight for each hashed feature, in steps."""

    bias: int
    features: array[int]

    def logit(self, hashed: Collection[int]) -> float:
        """Return the logit of what has these features."""
        features = self.features
        return (self.bias + sum(features[each] for each in hashed) / len(hashed) ** 0.5) / UNIT


def wish_of(sentences: Sequence[str]) -> Wish | None:
    """Read what a message of these sentences wishes; None if it has no words of a wish. A quotation is to be masked in them."""
    words = [tokens(sentence) for sentence in sentences]
    parts = [chunk for sentence in words for chunk in chunks(sentence)][:_MOST_CHUNKS]
    if not parts:
        return None
    weights, found, of_many = _weights(), list(map(features_of, parts)), log(len(parts))
    lost = [of_many if part[0] == _BEGIN and part[-1] == _END else of_many + _AMID for part in parts]
    logits = [weights["withhold"].logit(each) - less for each, less in zip(found, lost, strict=True)]
    best = max(range(len(found)), key=logits.__getitem__)
    return Wish(
        logits[best],
        weights["next"].logit(found[best]),
        weights["bare"].logit(features_of_all([each for each in words if each[-1:] != ["?"]] or words)),
        max(map(weights["forget"].logit, found)),
    )


def may_wish(text: str, words: frozenset[str]) -> bool:
    """True if a text of these words may have a wish: fast, and never false for one that has."""
    if "#" in text or text[:1] == "/":
        return True
    strong, weak, denying = _gates()
    words = _slips().all_meant(words)
    return not strong.isdisjoint(words) or not (weak.isdisjoint(words) or denying.isdisjoint(words))


def tokens(sentence: str) -> list[str]:
    """Return the words and signs of a sentence in normal form, slips corrected and tags taken apart.

    >>> tokens("Don't svae this, ok? #dontkeep")
    ['dont', 'save', 'this', ',', 'ok', '?', 'dont', 'keep']
    """
    return [word for each in _TOKEN.findall(normal(sentence)) for word in _apart(each)]


def chunks(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Return the parts of a sentence that may have a wish, with marks where it begins and ends: the whole of a short one."""
    kinds, marks, words = kind_by_word(), _words_of("marks"), (_BEGIN, *words, _END)
    has = [kinds.get(word, _OTHER) for word in words]
    near = _NEAR if len(words) > _LONGEST else len(words)
    denied = [at for at, kind in enumerate(has) if kind == _DENIES]
    places = [
        at
        for at, kind in enumerate(has)
        if kind in _STRONG or words[at] in marks or (kind in _WEAK and any(abs(at - no) <= near for no in denied))
    ]
    if not places or is_to_keep(words, has):
        return
    if len(words) <= _LONGEST:
        yield words
        return
    end = 0
    for at in places:
        if at >= end:
            end = at + _HALF // 2
            yield words[max(at - _HALF, 0) : at + _HALF]


def is_to_keep(words: Sequence[str], kinds: Sequence[str]) -> bool:
    """True if a sentence denies that something is erased: `never forget this`, `vergiss das nicht`, `no olvides esto`."""
    lacks, spanish = _words_of("lacks"), _words_of("erases", "es")
    denies = [
        kind == _DENIES and (word not in lacks or after in spanish)
        for word, kind, after in zip(words, kinds, [*words[1:], ""], strict=True)
    ]
    for at, kind in enumerate(kinds):
        if kind != "E":
            continue
        before = next((place for place in range(at - 1, max(at - _MOST_BETWEEN - 2, -1), -1) if denies[place]), at)
        if before < at and _BETWEEN.issuperset(kinds[before + 1 : at]):
            return True
        after = at + 1 + (kinds[at + 1 : at + 2] == ["T"])  # `vergiss das nie`
        if after < len(words) and denies[after] and "K" not in kinds:
            return True
    return False


def features_of(words: Sequence[str]) -> frozenset[int]:
    """Return the hashed features of a sentence: rows of words, of their kinds, of both mixed, and of letters."""
    known = kind_by_word()
    said = [word.encode() for word in words]
    kinds = [known.get(word, word if not word.isalnum() else _OTHER).encode() for word in words]
    marked = [kind for kind in kinds if kind != _OTHER.encode()]
    rows = [*_rows(said, _WORDS_TOGETHER, 1), *_rows(kinds, _KINDS_TOGETHER, 2), *_rows(marked, _KINDS_TOGETHER, 3)]
    for apart, salt in ((1, 4), (2, 5)):
        rows += (crc32(b, crc32(a, salt)) for a, b in zip(said, kinds[apart:], strict=False))
        rows += (crc32(b, crc32(a, salt + 2)) for a, b in zip(kinds, said[apart:], strict=False))
    rows += (crc32(b, crc32(a, 8)) for a, b in zip(said, said[2:], strict=False))
    for word in said:
        if len(word) >= _LETTERS_TOGETHER:
            padded = b"^" + word + b"$"
            rows += (crc32(padded[at : at + _LETTERS_TOGETHER], 9) for at in range(len(padded) - _LETTERS_TOGETHER + 1))
    return frozenset(row & (BUCKETS - 1) for row in rows)


def features_of_all(sentences: Iterable[Sequence[str]]) -> list[int]:
    """Return the hashed features of a message's words, each as often as it is there: what tells something has more of them."""
    words = [word.encode() for sentence in sentences for word in sentence if word.isalnum()][:_MOST_WORDS]
    rows = [*(crc32(word, 10) for word in words), *(crc32(b, crc32(a, 11)) for a, b in zip(words, words[1:], strict=False))]
    return [crc32(b"", 12) & (BUCKETS - 1)] * len(words) + [row & (BUCKETS - 1) for row in rows]


def _rows(items: Sequence[bytes], most: int, salt: int) -> Iterator[int]:
    """The hashes of up to `most` items in a row."""
    hashed = [salt] * len(items)
    for length in range(most):
        hashed = [crc32(item, before) for before, item in zip(hashed, items[length:], strict=False)]
        yield from hashed


@cache
def kind_by_word() -> Mapping[str, str]:
    """The kinds of all languages' words, each a letter."""
    found: dict[str, str] = {}
    for name, letter in _KINDS.items():
        for words in _tables()[name].values():
            for word in words.split():
                found.setdefault(word, letter)
    return found


def erases(sentence: str) -> bool:
    """True if a sentence has a word by which something is to be erased."""
    return any(kind_by_word().get(word) == "E" for word in tokens(sentence))


def is_filler(word: str) -> bool:
    """True for a word that names nothing."""
    return word in _fillers() or not word.isalnum()


@cache
def _fillers() -> frozenset[str]:
    return frozenset[str]().union(*map(_words_of, _tables()))


@cache
def _words_of(table: str, code: str | None = None) -> frozenset[str]:
    """The words of a table, of one language or of all."""
    return frozenset(word for each, words in _tables()[table].items() if code in {None, each} for word in words.split())


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(resources.files(__package__).joinpath("wish_words.toml").read_text(encoding="utf-8"))


@cache
def _gates() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    kinds = kind_by_word()
    strong, weak, denying = (frozenset(word for word, kind in kinds.items() if kind in of) for of in (_STRONG, _WEAK, _DENIES))
    return strong | _words_of("marks"), weak, denying


@cache
def _slips() -> Slips:
    return Slips([word for word, kind in kind_by_word().items() if kind in _STRONG | _WEAK | {_DENIES, "T"}])


def _apart(token: str) -> Sequence[str]:
    """Return the words of a tag that consists of words of wishes, `#dontsave`; else the token, with a slip corrected."""
    if token[0] not in "#/":
        return (_slips().meant(token) or token,)
    known, tag, found, at = _fillers(), token[1:], list[str](), 0
    while at < len(tag):
        end = next((end for end in range(len(tag), at, -1) if tag[at:end] in known), None)
        if end is None:
            return (tag,)
        found.append(tag[at:end])
        at = end
    return found


@cache
def _weights() -> Mapping[str, Weights]:
    learned = json.loads(resources.files(__package__).joinpath("wish_weights.json").read_text(encoding="utf-8"))
    return {
        question: Weights(bias, array("b", decompress(b85decode(packed))))
        for question, (bias, packed) in learned["weights"].items()
    }
