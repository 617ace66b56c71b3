"""Tells how a text means its words: denied, open, to come, over, and of whom.

A fact that has the words of its source in another stance says another thing: `I don't smoke` is no evidence for `smokes`. The
words that mark a stance are in stances.toml. Where source and fact may differ, they do.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator, Field

from shared.contracts.contract import Contract
from shared.language.statements.frame_words import RELATIVE
from shared.language.statements.related_words import related_words
from shared.language.statements.stated_words import is_frame, month_number
from shared.language.text.grammar import is_past
from shared.language.text.sentences import sentences
from shared.language.text.stemming import stem

_CLAUSE = re.compile(
    r"[,:](?!\d)|[;()–—]|\b(?:and|but|so|because|who|which|und|aber|weil|y|pero|porque|et|mais|says?|said|dice|sagt|dit)\b",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?<=\w)n['’]t\b|(?<=\w)['’](?:m|re|ve|ll|d|s)\b", re.IGNORECASE)
_WORD = re.compile(r"n't|'(?:m|re|ve|ll|d|s)|[^\W_]+(?:[-'][^\W\d_]+)*|\d[\d.:-]*")
_ELISION = re.compile(r"\b([cdjlmnst]|qu)'", re.IGNORECASE)
_YEAR = re.compile(r"\d{4}")
_NAME = re.compile(r"(?P<name>[A-ZÀ-Þ][a-zà-ÿ]+)(?:['’]s\b| (?:is|has|was)\b| \w{3,}(?:s|ed)\b)")
_AFTER = frozenset("have has 've is are been be am 'm get got getting just".split())  # noqa: SIM905
"""Words after which a past form tells what is so: `has lived`, `got married`."""
_USER = frozenset[str | int](("the user",))
_MOST_BEFORE = 5
_LEAST_VERB = 4


class MeantClause(NamedTuple):
    """A clause, and how it is meant."""

    words: tuple[str, ...]
    keys: frozenset[str | int]
    """The stems of its words, and the groups of related words that they belong to."""
    denied_from: int
    """The place of the word from which on it is denied; behind the last if it is not."""
    is_averse: bool
    """Whether a word denies by itself: `stopped`, `hates`."""
    has_ended: bool
    is_open: bool
    """Whether it is asked, wished, under a condition, or in doubt."""
    is_coming: bool
    is_dated: bool
    past: frozenset[str]
    """The stems of what stands in the past only."""
    present: frozenset[str]
    subject: frozenset[str | int]
    """The keys of those of whom it tells, `_USER` for the user; empty if it does not say."""

    def shared(self, other: MeantClause) -> list[int]:
        """The places of the words that say something and that the other clause has, too."""
        return [place for place, word in enumerate(self.words) if not (is_frame(word) or _keys(word).isdisjoint(other.keys))]

    def is_denied(self, places: Sequence[int]) -> bool:
        """True if the words at these places are denied: all of them, where none is named."""
        last = max(places, default=len(self.words) - 1)
        return self.denied_from <= last

    @property
    def says_something(self) -> bool:
        """False for a clause of frame words and dates."""
        return not all(is_frame(word) or _is_date(word) for word in self.words)


def turns_sense(fact: str, sources: Sequence[str], *, asked: Sequence[str] = (), speakers: Iterable[str] = ()) -> bool:
    """True if a fact means the words of its sources in another way than any of the clauses from which it may be drawn.

    `asked` are the questions that the sources answer: `nuts` says what somebody is allergic to where that was asked.

    >>> turns_sense("The user smokes.", ["I don't smoke."]), turns_sense("The user does not smoke.", ["I don't smoke."])
    (True, False)
    """
    names = frozenset(part.lower() for name in speakers for part in name.split())
    stated = list(dict.fromkeys(clause for source in sources for clause in meant_clauses(source, names)))
    told = dict.fromkeys(meant_clauses(fact, names))  # what is said again and again is compared once
    own = [clause for clause in told if clause.says_something]
    named = frozenset[str | int]().union(*(clause.keys for clause in told))
    is_asked = any(each.is_averse or each.is_denied(()) for question in asked for each in meant_clauses(question, names))
    return bool(stated) and any(_is_turned(clause, stated, named, is_asked=is_asked) for clause in own)


def meant_clauses(text: str, names: frozenset[str]) -> list[MeantClause]:
    """The clauses of a text; those of a question are open. `names`: of the person."""
    found: list[MeantClause] = []
    for sentence in sentences(text.encode("utf-8", "replace").decode()):
        is_open, subject = False, frozenset[str | int]()
        parts = [part for part in _CLAUSE.split(sentence.replace("’", "'")) if _WORD.search(part)]
        for place, part in enumerate(parts, start=1):
            asks = place == len(parts) and sentence.rstrip().endswith("?")
            clause = _clause(part, names, subject, is_open=is_open or asks)
            is_open, subject = is_open or not _table().condition.isdisjoint(clause.words), clause.subject
            found.append(clause)
    return found


def _clause(part: str, names: frozenset[str], before: frozenset[str | int], *, is_open: bool) -> MeantClause:
    """A clause as it is meant; one that does not say of whom it tells goes on with whom the one before was about."""
    table = _table()
    words = tuple(_WORD.findall(_SHORT.sub(r" \g<0>", _ELISION.sub(r"\1 ", part)).lower()))
    line = f" {' '.join(words)} "
    for phrase in table.no_denial:
        line = line.replace(phrase, phrase.replace(" ", "_"))
    roots = {table.past.get(word) or stem(word) for word in words} | {*words}
    denied = [place for place, word in enumerate(line.split()) if word in table.before]
    past, present = _verbs(words)
    return MeantClause(
        words=words,
        keys=frozenset().union(*map(_keys, words)),
        denied_from=-1 if not table.around.isdisjoint(words) else min(denied, default=len(words)),
        has_ended=not roots.isdisjoint(table.ended),
        is_averse=not roots.isdisjoint(table.averse | table.ended) or any(phrase in line for phrase in table.averse_phrases),
        is_open=is_open
        or not (roots - ({"may"} if "May" in part else set())).isdisjoint(table.open | table.condition)
        or any(phrase in line for phrase in table.open_phrases),
        is_coming=not table.coming.isdisjoint(words) or any(phrase in line for phrase in table.coming_phrases),
        is_dated=not RELATIVE.isdisjoint(words) or any(map(_is_date, words)),
        past=past - present,
        present=present,
        subject=_subject(words, names, part) or before,
    )


def _verbs(words: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of what stands in the past, and of all else: all that follows `used to` is over."""
    table = _table()
    over = next((place for place, word in enumerate(words) if word in table.over), len(words))
    past, present = set[str](), set[str]()
    for place, word in enumerate(words):
        base = table.past.get(word)
        is_over = place > over or is_past(word) or (base is not None and word not in table.present)
        if is_over and not (place and words[place - 1] in _AFTER):
            past.add(base or stem(word))
        elif not is_over and not word.endswith("ing"):
            present.add(base or stem(word))
    return frozenset(past), frozenset(present)


def _is_date(word: str) -> bool:
    return _YEAR.match(word) is not None or month_number(word) is not None


def _keys(word: str) -> frozenset[str | int]:
    kin = _table().kin.get(word, word).removesuffix("'s")
    roots = {stem(word.removesuffix("'s")), stem(kin)}
    return frozenset().union(roots, *(related_words().get(root, ()) for root in roots))


def _subject(words: Sequence[str], names: frozenset[str], part: str) -> frozenset[str | int]:
    """Return of whom a clause tells; nothing if it does not say."""
    table = _table()
    before = [word.removesuffix("'s") for word in words[:_MOST_BEFORE]]
    others = [word for word in before if word in table.kin]
    if not table.me.isdisjoint(before[:1]) or (not others and not (table.me | table.mine | names).isdisjoint(before)):
        return _USER
    if (found := _NAME.match(part.strip())) and not is_frame(found["name"]):
        others.append(found["name"].lower())
    others += [word for word in before[:1] if word in table.they]
    return frozenset().union(*map(_keys, others)) if others else frozenset()


def _is_turned(clause: MeantClause, stated: Sequence[MeantClause], named: frozenset[str | int], *, is_asked: bool) -> bool:
    """True if no clause that shares most with a clause of a fact means it in the same way."""
    shared = [len(clause.shared(each)) for each in stated]
    best = max(shared)
    return not any(
        _agrees(clause, each, is_asked=is_asked) and not (best and _is_of_another(clause, each, named))
        for each, count in zip(stated, shared, strict=True)
        if count == best
    )


def _agrees(fact: MeantClause, source: MeantClause, *, is_asked: bool) -> bool:
    is_ahead = fact.is_open or fact.is_coming
    return (
        (is_asked or _agree_on_denial(fact, source))
        and (fact.is_open or not source.is_open or "prefers" in fact.words)
        and (is_ahead or fact.is_dated or not source.is_coming)
        and (not fact.is_coming or source.is_open or source.is_coming or source.is_dated)
        and fact.present.isdisjoint(source.past)
        and (source.is_dated or fact.past.isdisjoint(source.present))
    )


def _agree_on_denial(fact: MeantClause, source: MeantClause) -> bool:
    """True if both deny, or neither; what has ended was so, and a word of another language may deny by itself, too."""
    mine, theirs = fact.shared(source), source.shared(fact)
    is_denied, was_denied = fact.is_denied(mine), source.is_denied(theirs)
    if (is_denied != fact.is_averse) == (was_denied != source.is_averse):
        return True
    if source.has_ended and not was_denied:
        return bool(fact.past) and not is_denied
    return not (mine or source.is_averse or was_denied or is_denied)


def _is_of_another(fact: MeantClause, source: MeantClause, named: frozenset[str | int]) -> bool:
    """True if a fact states of the user what its source states of somebody whom the fact does not name, or the reverse."""
    if fact.subject == _USER:
        return bool(source.subject) and source.subject.isdisjoint(named | _USER)
    verbs = {root for root in fact.present & source.present if len(root) >= _LEAST_VERB and is_frame(root)}
    return bool(verbs) and source.subject == _USER and bool(fact.subject) and fact.subject.isdisjoint(source.keys)


def _split(text: str) -> dict[str, str]:
    """The words of a text, each with what stands behind its slash, or itself."""
    return {word: other or word for word, _, other in (each.partition("/") for each in text.split())}


def _stemmed(text: str) -> frozenset[str]:
    return frozenset(text.split()) | frozenset(map(stem, text.split()))


_Words = Annotated[frozenset[str], BeforeValidator(str.split)]
_Stems = Annotated[frozenset[str], BeforeValidator(_stemmed)]
_Pairs = Annotated[dict[str, str], BeforeValidator(_split)]


class _StanceTable(Contract):
    before: _Words = Field(description="Denies the words that follow it.")
    around: _Words = Field(description="Denies its clause.")
    no_denial: tuple[str, ...]
    averse: _Stems = Field(description="Denies by itself.")
    averse_phrases: tuple[str, ...]
    ended: _Stems = Field(description="Was so before.")
    open: _Stems
    open_phrases: tuple[str, ...]
    condition: _Words
    coming: _Words
    coming_phrases: tuple[str, ...]
    over: _Words
    me: _Words
    mine: _Words
    they: _Words
    kin: _Pairs = Field(description="Relatives, with the English word.")
    past: _Pairs = Field(description="Forms of verbs, with the verb.")
    present: _Words = Field(description="Those of these forms that are not past.")


@cache
def _table() -> _StanceTable:
    source = resources.files(__package__).joinpath("stances.toml").read_text(encoding="utf-8")
    return _StanceTable.model_validate(tomllib.loads(source))
