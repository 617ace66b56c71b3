"""The wording of a text, in one spelling: contractions written out, fillers and articles left out.

Two texts with the same wording say the same: it keeps whatever changes the meaning, in its place.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shared.language.text import phrasing
from shared.language.text.quantities import in_one_spelling, measured
from shared.language.text.tokens import Token, surface

_DENIED = "do does did is are was were has have had would could should".split()  # noqa: SIM905
_SHORT_FORMS = """can't: can not, cant: can not, cannot: can not, won't: will not, wont: will not, shan't: shall not, im: i am,
    ive: i have, youre: you are, theyre: they are, thats: that is, let's: let us, lets: let us, gonna: going to, wanna: want to,
    gotta: got to, &: and"""
_SHORT: dict[str, tuple[str, ...]] = {
    **{f"{verb}n't": (verb, "not") for verb in (*_DENIED, "must", "need", "might")},
    **{f"{verb}nt": (verb, "not") for verb in _DENIED},
    **{short: tuple(words.split()) for short, words in re.findall(r"(\S+): ([^,]+)", _SHORT_FORMS)},
}
_SUFFIXES = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "'d"}
_PRONOUNS = frozenset(
    """he she it that this there here what who where when how why everything something
    name birthday email""".split()  # noqa: SIM905
)
_AFTER_IS = frozenset(
    """a an the not my your his her our their so very really always never still already also in at on from with about to
    allergic afraid married divorced pregnant vegetarian vegan ready late happy sad tired ill sick busy called named""".split()  # noqa: SIM905
)
_AFTER_HAS = frozenset("been got had".split())  # noqa: SIM905
_LOOKS_ENGLISH = re.compile(r"[kwy]|th|sh|ee|oo", re.ASCII)
_STRETCHED = re.compile(r"(.)\1{2,}")
_FILLERS = phrasing.HESITATIONS | phrasing.INTENSIFIERS | phrasing.ARTICLES
_MOST_TURNED = 20
_LEAST_TURNED = 4
_FIRST_OF_OPENINGS = frozenset(opening[0] for opening in phrasing.OPENINGS + phrasing.HEADINGS)
_LAST_OF_ENDINGS = frozenset(ending[-1] for ending in phrasing.ENDINGS + phrasing.DEGREES + phrasing.PARTINGS)
_SPEECH = frozenset("say says said saying".split())  # noqa: SIM905
_COURTESIES = phrasing.OPENINGS + phrasing.HEADINGS + phrasing.ENDINGS + phrasing.DEGREES + phrasing.PARTINGS
_WINDOW = max(map(len, _COURTESIES)) + 2
"""Tokens at an end that tell whether it is mere courtesy: the longest, and two that must be left."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The tokens of a text in a fixed order, with its URLs, emoji and whether it asks."""

    tokens: tuple[Token, ...]
    urls: tuple[str, ...]
    emoji: tuple[str, ...]
    asks: bool
    is_english: bool

    @property
    def keys(self) -> tuple[str, ...]:
        """The tokens' keys, in order."""
        return tuple([token.key for token in self.tokens])  # a list first: twice as fast as a generator


def wording(text: str) -> Wording:
    """The wording of a text. Of a text that is not English only hesitations are left out.

    >>> wording("Well, I'm really fond of the theatre!").keys == wording("i am fond of theater").keys
    True
    """
    found = surface(text)
    is_english = _is_english(found.tokens)
    tokens = list(found.tokens) or [Token(found.rest, "sign")] * (not found.urls and not found.emoji)
    asks = found.asks
    if is_english:
        tokens = _trimmed(_written_out(tokens))
        asks = asks or (bool(tokens) and tokens[0].key in {"is", "are", "am", "do", "does"})
    tokens = _without_fillers(tokens, is_english=is_english)
    if is_english:
        tokens = _turned([token.written(phrasing.SPELLINGS.get(token.key, token.key)) for token in in_one_spelling(tokens)])
    else:
        tokens = measured(tokens)
    return Wording(tuple(tokens), found.urls, tuple(dict.fromkeys(found.emoji)), asks, is_english)


def _is_english(tokens: Sequence[Token]) -> bool:
    """True if English words outnumber foreign ones or, without either, spellings such as `th` and `k` show English."""
    words = [token.key for token in tokens if token.kind == "word"]
    english = sum(word in phrasing.ENGLISH or "'" in word or word in _SHORT for word in words)
    foreign = sum(word in phrasing.ROMANCE or word in phrasing.GERMANIC for word in words)
    if english or foreign:
        return english > foreign
    return all(map(str.isascii, words)) and any(map(_LOOKS_ENGLISH.search, words))


def _written_out(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with contractions written out: I'm, don't, cannot. `'s` is a possessive unless something shows otherwise."""
    done: list[Token] = []
    for place, token in enumerate(tokens):
        following = tokens[place + 1].key if place + 1 < len(tokens) else ""
        parts = _SHORT.get(token.key) or (_split(token.key, following) if "'" in token.key else None)
        if parts is None:
            done.append(token)
            continue
        done.append(token.written(parts[0]))
        done.extend(Token(part, "word") for part in parts[1:])
    return done


def _split(word: str, following: str) -> tuple[str, ...]:
    stem, mark, _ = word.rpartition("'")
    suffix = word[len(stem) :]
    if not mark or not stem:
        return (word,)
    if suffix in _SUFFIXES:
        return (stem, _SUFFIXES[suffix])
    if suffix != "'s":
        return (word,)
    if following in _AFTER_HAS:
        return (stem, "has")
    return (stem, "is" if stem in _PRONOUNS or following in _AFTER_IS or following.endswith("ing") else "'s")


def _trimmed(tokens: list[Token]) -> list[Token]:
    """The tokens without greetings and politeness at both ends, as long as words are left."""
    keys = [token.key for token in tokens]
    start, end = 0, len(keys)
    while length := _opening(tokens[start : min(start + _WINDOW, end)]):
        start += length
    denies = not phrasing.NEGATIONS.isdisjoint(keys)
    while length := _ending(tokens[max(start, end - _WINDOW) : end], denies=denies):
        end -= length
    return tokens[start:end]


def _opening(tokens: Sequence[Token]) -> int:
    """How many tokens at the beginning are mere introduction."""
    if not tokens or tokens[0].key not in _FIRST_OF_OPENINGS:
        return 0
    keys = tuple(token.key for token in tokens)
    for opening in phrasing.OPENINGS + phrasing.HEADINGS:
        place = len(opening)
        fits = len(keys) > place + 1 and keys[:place] == opening
        if fits and (opening not in phrasing.HEADINGS or tokens[place].opens):
            return place
    return 0


def _ending(tokens: Sequence[Token], *, denies: bool) -> int:
    """How many tokens at the end are mere courtesy."""
    if not tokens or tokens[-1].key not in _LAST_OF_ENDINGS:
        return 0
    keys = tuple(token.key for token in tokens)
    allowed = phrasing.ENDINGS if denies else phrasing.ENDINGS + phrasing.DEGREES
    for ending in allowed + phrasing.PARTINGS:
        place = len(keys) - len(ending)
        fits = place > 1 and keys[place:] == ending and keys[place - 1] not in _SPEECH
        if fits and (ending not in phrasing.PARTINGS or tokens[place].breaks):
            return len(ending)
    return 0


def _without_fillers(tokens: Sequence[Token], *, is_english: bool) -> list[Token]:
    left = [
        token
        for place, token in enumerate(tokens)
        if not (
            (token.key in _FILLERS or _STRETCHED.search(token.key) is not None)
            and _is_filler(tokens, place, is_english=is_english)
        )
    ]
    return left or list(tokens)


def _is_filler(tokens: Sequence[Token], place: int, *, is_english: bool) -> bool:
    token = tokens[place]
    word = _STRETCHED.sub(r"\1", token.key) if token.kind == "word" else token.key
    if token.kind == "word" and (word in phrasing.HESITATIONS or word in phrasing.INTENSIFIERS):
        return word in phrasing.HESITATIONS or place == 0 or tokens[place - 1].key not in phrasing.NEGATIONS
    if not is_english or word not in phrasing.ARTICLES:
        return False
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is None or (word == "a" and following.key in phrasing.COUNTING_A):
        return False
    return place == 0 or tokens[place - 1].key not in phrasing.LETTERED


def _turned(tokens: list[Token]) -> list[Token]:
    """The tokens of a short text in one order, if it has parts that may stand first or last.

    `In the morning Anna drinks tea` is `Anna drinks tea in the morning`; `Anna calls Bob` is not `Bob calls Anna`.
    """
    keys = [token.key for token in tokens]
    if not _LEAST_TURNED <= len(keys) <= _MOST_TURNED or not phrasing.FIXED.isdisjoint(keys):
        return tokens
    starts = [place for place, key in enumerate(keys) if key in phrasing.FRONTED]
    if not starts:
        return tokens
    start = min(starts, key=lambda place: keys[place:] + keys[:place])
    return tokens[start:] + tokens[:start]
