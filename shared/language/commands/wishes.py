"""A small model of what a person wishes of the memory where no phrase of a language file says it.

Logistic regressions over hashed n-grams of the words of a sentence and of the kinds of these words, trained by `bench/wishes`.
They read all shipped languages at once. Each question has weights of its own in `wish_weights.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from math import log
from typing import ClassVar, NamedTuple
from zlib import crc32

from shared.language.commands.language import SHIPPED_LANGUAGES
from shared.language.commands.phrases import normal
from shared.language.commands.slips import Slips
from shared.language.tables import LanguagePart, WordSet, table
from shared.language.text import weighing
from shared.language.text.frequency import vocabulary
from shared.language.text.languages import text_tables
from shared.language.text.weighing import BUCKETS, NO_KIND, WITHOUT_ACCENTS, Weights, read_weights

QUESTIONS = ("withhold", "next", "bare", "forget", "before")
_MOST_CHUNKS, _MOST_WORDS = 60, 60
_LONGEST, _HALF, _NEAR = 22, 8, 7
"""Words, with two marks, of a sentence that is read whole, to each side of a possible wish in a longer one, and from it to what
denies."""
_BESIDE = 3
"""Words from what is kept to what points at it."""
_AMID = 2.0
"""Logits that a part of a long sentence has to have more: less is seen of what it belongs to."""
_FAINT = 0.8
"""Logits that a part has to have more that only speaks of telling, staying or a place."""
_MOST_BETWEEN = 3
_BETWEEN = frozenset("_YITDAO")
"""Words, and their kinds, between what denies and what erases."""
_TOKEN = re.compile(r"[#/]?\w+|[,:;()\[\]–—|?-]")
_ELIDED = re.compile(r"(?:[cdjlmnst]|qu)(?=[aeiouhy])")
"""What French writes before a vowel, without its apostrophe."""
_SHORTEST_STEM, _SHORTEST_SLIP, _SHORTEST_FOREIGN_SLIP, _LONGEST_TAG = 3, 4, 7, 40
_SLIPPED = frozenset("EPKTDA")
"""Kinds of words of which slips are read."""
_MOST_KNOWN = 20_000
"""Words of which the kind is kept."""
_BEGIN, _END = "<", ">"
_STRONG, _WEAK, _DENYING = frozenset("ESPL"), frozenset("KR"), frozenset("DA")
"""Kinds of which one word may be a wish, those of which one may be with a word that denies, and the kinds of these."""
_PLAIN = frozenset("KESP")
"""Kinds of words of which one speaks of keeping, erasing, hiding, or where it is kept."""
DENIES, ERASES, KEEPS, POINTS = "D", "E", "K", "T"
"""The kinds of words that deny, erase, keep, and point."""
_OTHERS = "O"
_DENIED_AFTER = ("de", "fr")
"""Languages in which what denies may stand after its verb."""


class WishWords(LanguagePart):
    """`[wishes]` of a language's file: words by what they do in a wish, with `word*` for all that begin so."""

    part: ClassVar[str] = "wishes"
    denies: WordSet
    lacks: WordSet
    """Words that deny too, but after which what is erased is erased: `without`."""
    keeps: WordSet
    places: WordSet
    """Where something is kept: `memory`."""
    erases: WordSet
    hides: WordSet
    stays: WordSet
    hears: WordSet
    points: WordSet
    listener: WordSet
    speaker: WordSet
    others: WordSet
    comes: WordSet
    fillers: WordSet
    """What names nothing, beside all these: what is left of a sentence is what it is about."""


_KINDS = {
    "denies": "D", "lacks": "A", "keeps": "K", "places": "P", "erases": "E", "hides": "S", "stays": "L", "hears": "R",
    "points": "T", "listener": "Y", "speaker": "I", "others": "O", "comes": "N",
}  # fmt: skip


class Wish(NamedTuple):
    """How likely it is that a message wishes something, in logits: above 0 it is more likely than not."""

    withhold: float  # the message is not to be kept
    next: float  # if it is not: nor is the following one
    bare: float  # if it is not: it tells nothing else
    before: float  # if it is not, and tells nothing: nor is what was said before it
    forget: float  # what is known of something is to be forgotten
    forget_at: int  # index of the sentence that says so


def wish_of(sentences: Sequence[str]) -> Wish | None:
    """Read what a message of these sentences wishes; None if it has no words of a wish. A quotation is to be masked in them."""
    words = [tokens(sentence) for sentence in sentences]
    parts = [(index, chunk) for index, sentence in enumerate(words) for chunk in chunks(sentence)][:_MOST_CHUNKS]
    if not parts:
        return None
    weights, found, of_many = _weights(), [features_of(part) for _, part in parts], log(len(parts))
    lost = [of_many + _lack(part) for _, part in parts]
    logits = [weights["withhold"].logit(each) - less for each, less in zip(found, lost, strict=True)]
    forgets = [weights["forget"].logit(each) for each in found]
    best, most = logits.index(max(logits)), forgets.index(max(forgets))
    every = features_of_all([each for each in words if each[-1:] != ["?"]] or words)
    return Wish(
        withhold=logits[best],
        next=weights["next"].logit(found[best]),
        bare=weights["bare"].logit(every),
        before=weights["before"].logit(every),
        forget=forgets[most],
        forget_at=parts[most][0],
    )


def _lack(part: Sequence[str]) -> float:
    """Return the logits that a part has to have more than one at the edge of its sentence that speaks of keeping or erasing."""
    is_at_edge = part[0] == _BEGIN or part[-1] == _END
    is_plain = not _PLAIN.isdisjoint(kinds_of(part))
    return (0.0 if is_at_edge else _AMID) + (0.0 if is_plain else _FAINT)


def may_wish(text: str, words: frozenset[str]) -> bool:
    """True if a text of these words may have a wish: fast, and never false for one that has."""
    if "#" in text or text[:1] == "/" or "un-" in text:
        return True
    kinds = 0
    for word in words:
        kinds |= _all_kinds_of(word)
    weak = kinds & _bits(_WEAK) and kinds & _bits(_DENYING)
    pointing = kinds & _bits(KEEPS) and kinds & _bits(POINTS)
    return bool(kinds & _bits(_STRONG) or weak or pointing)


def tokens(sentence: str) -> list[str]:
    """Return the words and signs of a sentence in normal form, slips corrected and tags taken apart.

    >>> tokens("Don't svae this, ok? #dontkeep")
    ['dont', 'save', 'this', ',', 'ok', '?', 'dont', 'keep']
    """
    return [
        word
        for each in _TOKEN.findall(normal(sentence.replace("un-", "un")).translate(WITHOUT_ACCENTS))
        for word in _apart(each)
    ]


def chunks(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Return the parts of a sentence that may have a wish, with marks where it begins and ends: the whole of a short one."""
    words = (_BEGIN, *words, _END)
    has = kinds_of(words)
    near = _NEAR if len(words) > _LONGEST else len(words)
    denied, pointed = ([at for at, kind in enumerate(has) if kind in each] for each in (_DENYING, POINTS))
    places = [
        at
        for at, kind in enumerate(has)
        if kind in _STRONG
        or (kind in _WEAK and any(abs(at - no) <= near for no in denied))
        or (kind == KEEPS and any(abs(at - it) <= _BESIDE for it in pointed))
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
    has_after = _language_of(words) in _DENIED_AFTER
    for at, kind in enumerate(kinds):
        if kind != ERASES:
            continue
        before = next((place for place in range(at - 1, max(at - _MOST_BETWEEN - 2, -1), -1) if kinds[place] == DENIES), at)
        if before < at and _BETWEEN.issuperset(kinds[before + 1 : at]):
            return True
        following = range(at + 1, min(at + _MOST_BETWEEN + 1, len(words)))  # `vergiss das bitte nie`
        after = next((place for place in following if kinds[place] == DENIES or not words[place].isalnum()), at)
        if has_after and kinds[after] == DENIES and KEEPS not in kinds:
            return True
    return False


def features_of(words: Sequence[str]) -> frozenset[int]:
    """Return the hashed features of a sentence."""
    return weighing.features_of(words, kinds_of(words))


def features_of_all(sentences: Iterable[Sequence[str]]) -> list[int]:
    """Return the hashed features of a message's words, each as often as it is there: what tells something has more of them."""
    words = [word.encode() for sentence in sentences for word in sentence if word.isalnum()][:_MOST_WORDS]
    rows = [*(crc32(word, 10) for word in words), *(crc32(b, crc32(a, 11)) for a, b in pairwise(words))]
    return [crc32(b"", 12) & (BUCKETS - 1)] * len(words) + [row & (BUCKETS - 1) for row in rows]


class _Kinds:
    """The kinds of the words of a language, each a letter, by word and by stem."""

    def __init__(self, words: WishWords) -> None:
        self.by_word: dict[str, str] = {}
        self.by_stem: dict[str, str] = {}
        for name, letter in _KINDS.items():
            for each in sorted(getattr(words, name)):
                form = normal(each).translate(WITHOUT_ACCENTS)
                (self.by_stem if form[-1] == "*" else self.by_word).setdefault(form.rstrip("*"), letter)
        self.fillers = frozenset(normal(each).translate(WITHOUT_ACCENTS) for each in words.fillers)

    def has(self, word: str) -> bool:
        """True for a word that is in the tables as it is."""
        return word in self.by_word or word in self.by_stem or word in self.fillers

    def kind(self, word: str) -> str | None:
        """Return the kind of a word."""
        if found := self.by_word.get(word):
            return found
        stems = (self.by_stem.get(word[:end]) for end in range(len(word), _SHORTEST_STEM - 1, -1))
        return next(filter(None, stems), None)


def kinds_of(words: Sequence[str]) -> list[str]:
    """Return the kinds of the words of a sentence, in the language that knows the most of them, or else in another."""
    at = SHIPPED_LANGUAGES.index(_language_of(words))
    known = map(_kinds_by_language, words)
    return [kinds[at] or next(filter(None, kinds), NO_KIND) for kinds in known]


def _language_of(words: Sequence[str]) -> str:
    known = [sum(map(bool, each)) for each in zip(*map(_is_known, words), strict=True)] or [0]
    return SHIPPED_LANGUAGES[known.index(max(known))]


@lru_cache(maxsize=_MOST_KNOWN)
def _kinds_by_language(word: str) -> tuple[str | None, ...]:
    folded = word.translate(WITHOUT_ACCENTS)
    found = [_kinds_in(code).kind(folded) for code in SHIPPED_LANGUAGES]
    if not any(found) and _ELIDED.match(folded):
        found[SHIPPED_LANGUAGES.index("fr")] = _kinds_in("fr").kind(_ELIDED.sub("", folded, count=1))
    return tuple(found)


@lru_cache(maxsize=_MOST_KNOWN)
def _is_known(word: str) -> tuple[bool, ...]:
    """True for each language that has a word."""
    kinds = _kinds_by_language(word)
    return tuple(bool(kind) or word in _kinds_in(code).fillers for code, kind in zip(SHIPPED_LANGUAGES, kinds, strict=True))


@lru_cache(maxsize=_MOST_KNOWN)
def _all_kinds_of(word: str) -> int:
    """Return the kinds that a word has in any language, or the word that it is a slip of, a bit for each."""
    return _bits(frozenset(filter(None, _kinds_by_language(_meant(word)))))


@cache
def _bits(kinds: Iterable[str]) -> int:
    letters = [*_KINDS.values()]
    return sum(1 << letters.index(kind) for kind in frozenset(kinds))


@cache
def _kinds_in(code: str) -> _Kinds:
    return _Kinds(table(code, WishWords))


@lru_cache(maxsize=_MOST_KNOWN)
def is_filler(word: str) -> bool:
    """True for a word that names nothing."""
    kinds = frozenset(filter(None, _kinds_by_language(word)))
    is_other = any(word in _kinds_in(code).fillers for code in SHIPPED_LANGUAGES) or word in _stop_words()
    return not word.isalnum() or is_other or bool(kinds - {_OTHERS})


@lru_cache(maxsize=_MOST_KNOWN)
def _meant(word: str) -> str:
    """Return the word that a slip means; else the word."""
    folded = word.translate(WITHOUT_ACCENTS)
    return folded if any(_is_known(folded)) or folded in _stop_words() else _slips().meant(folded) or folded


@cache
def _slips() -> Slips:
    shortest = {code: _SHORTEST_SLIP if code == "en" else _SHORTEST_FOREIGN_SLIP for code in SHIPPED_LANGUAGES}
    known = {
        word: kind
        for code in reversed(SHIPPED_LANGUAGES)
        for word, kind in _kinds_in(code).by_word.items()
        if len(word) >= shortest[code]
    }
    known |= {stem: kind for stem, kind in _kinds_in("en").by_stem.items() if stem in vocabulary()}
    return Slips([word for word, kind in known.items() if kind in _SLIPPED or len(word) >= _SHORTEST_FOREIGN_SLIP])


@cache
def _stop_words() -> frozenset[str]:
    words = frozenset[str]().union(*(text_tables(code).stop_words for code in SHIPPED_LANGUAGES))
    return frozenset(word.translate(WITHOUT_ACCENTS) for word in words)


def _apart(token: str) -> Sequence[str]:
    """Return the words of a tag that consists of words of wishes, `#dontsave`; else the token, with a slip corrected."""
    if token[0] not in "#/":
        return (_meant(token),)
    tag = token[1:][:_LONGEST_TAG]
    return _words_of(tag) or (tag,)


def _words_of(tag: str) -> Sequence[str]:
    """The known words of one language that a tag is put together from; none if it is not."""
    return next(filter(None, (_split(tag, _kinds_in(code)) for code in SHIPPED_LANGUAGES)), ())


def _split(tag: str, known: _Kinds) -> Sequence[str]:
    begins: list[Sequence[str] | None] = [()]  # the words of each beginning
    for end in range(1, len(tag) + 1):
        parts = ((before, tag[at:end]) for at, before in enumerate(begins) if before is not None)
        begins.append(min(((*before, word) for before, word in parts if known.has(word)), key=len, default=None))
    return begins[-1] or ()


@cache
def _weights() -> Mapping[str, Weights]:
    return read_weights(resources.files(__package__).joinpath("wish_weights.json").read_text(encoding="utf-8"))
