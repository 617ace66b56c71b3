"""Tells how a text means its words: denied, in doubt, to come, over, and of whom.

A fact that has the words of its source in another stance says another thing: `I don't smoke` is no evidence for `smokes`.
What marks a stance is read by the tables of the languages; where source and fact may differ, they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Flag, auto
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from shared.statements.clauses import LONGEST_CHARACTERS, Said, asks_something, said
from shared.statements.frame_words import RELATIVE
from shared.statements.language import StatementLanguage, statement_language
from shared.statements.reading import read_slots
from shared.statements.related_words import related_words
from shared.statements.stated_words import StatedWords, is_frame, month_number
from shared.statements.tables import Mark
from shared.text.phrasing import ENGLISH, NEGATIONS
from shared.text.sentences import sentences
from shared.text.stemming import stem

_AVERSE = ("dislike", "allergic", "vegan", "stop", "reduce", "sold")
"""Words that deny by themselves; the words of their groups do, too."""
_ALONE = frozenset(
    "sober avoid avoids avoided avoiding refuse refuses refused refusing fail fails failed failing".split()  # noqa: SIM905
)
_NEUTRAL_OF_GROUPS = frozenset(map(stem, "meat animal fish lower sick ill can't anymore stand finish".split()))  # noqa: SIM905
_WHEN = frozenset("when whenever while once until till before after since back then ago as grew growing".split())  # noqa: SIM905
"""Words with which a phrase says at which other time something was so, and puts nothing in doubt."""
_INTENDED = frozenset(map(stem, "want plan goal hope intend aim wish consider".split()))  # noqa: SIM905
_LONGEST_SUBJECT = 4


class Stance(Flag):
    """How words are meant."""

    DENIED = auto()
    AVERSE = auto()  # by words that deny by themselves: stopped, dislikes
    OPEN = auto()  # asked, wished, under a condition, or in doubt
    COMING = auto()


_NONE = Stance(0)
_NEGATIVE = Stance.DENIED | Stance.AVERSE
_OF_MARKS = {
    Mark.NEGATED: Stance.DENIED,
    Mark.SKIPPED: Stance.DENIED,
    Mark.ENDED: Stance.AVERSE,
    Mark.VOID: Stance.OPEN,
    Mark.DOUBT: Stance.OPEN,
    Mark.JOKE: Stance.OPEN,
    Mark.FUTURE: Stance.COMING,
}


class MeantWord(NamedTuple):
    """A word of a clause, and how it is meant."""

    word: str
    keys: frozenset[str | int]
    stance: Stance
    base: str
    """The verb that it is a form of, if any."""
    is_past: bool


_USER = frozenset(("the user",))


class MeantClause(NamedTuple):
    """A clause, word by word."""

    words: tuple[MeantWord, ...]
    keys: frozenset[str | int]
    """The stems of its words, the groups of related words that they belong to, and the relatives that they name."""
    subject: frozenset[str | int]
    """The keys of those of whom it tells, `_USER` for the user; empty if it does not say."""
    language: StatementLanguage

    def on(self, other: MeantClause) -> list[MeantWord]:
        """The words of this clause that say something and that the other has."""
        return [word for word in self.words if not word.keys.isdisjoint(other.keys) and not is_frame(word.word)]


def turns_sense(fact: str, sources: Sequence[str], *, asked: Sequence[str] = (), speakers: Iterable[str] = ()) -> bool:
    """True if a fact means the words of its sources in another way than any of the clauses from which it may be drawn.

    `asked` are the questions that the sources answer: `nuts` says what somebody is allergic to where that was asked.

    >>> turns_sense("The user smokes.", ["I don't smoke."]), turns_sense("The user does not smoke.", ["I don't smoke."])
    (True, False)
    """
    names = tuple(speakers)
    stated = list(dict.fromkeys(clause for source in sources for clause in meant_clauses(source, names)))
    is_asked = any(_stance(clause.words) & _NEGATIVE for question in asked for clause in meant_clauses(question, names))
    own = list(dict.fromkeys(meant_clauses(fact, names)))
    named = frozenset().union(*(clause.keys for clause in own)) if own else frozenset()
    ignored = _NEGATIVE if is_asked else _NONE
    return any(_is_turned(clause, stated, named, ignored) for clause in own) or (
        not is_asked and _contradicts(fact, sources, names)
    )


def meant_clauses(text: str, names: tuple[str, ...]) -> list[MeantClause]:
    """The clauses of a text; those of a question are open."""
    whole = text.encode("utf-8", "replace").decode()  # no stemmer reads half a character
    parts = (part for each in sentences(whole) for part in ([each] if len(each) <= LONGEST_CHARACTERS else each.split(",")))
    return [clause for part in parts for clause in _of_sentence(part, names)]


def _of_sentence(sentence: str, names: tuple[str, ...]) -> Iterator[MeantClause]:
    whole = said(f"ok, {sentence.rstrip('?!. ')}", names)  # so that what has the form of a question is read, too
    language, raw = whole.language, sentence.lower()
    clauses = [words for each in whole.clauses if (words := each.words[2 * (each.words[:2] == ("ok", ",")) :]) != ("ok",)]
    asks = raw.endswith("?") or (bool(clauses) and clauses[0][0] not in _WHEN and asks_something(clauses[0], language))
    is_open = False
    subject: frozenset[str | int] = frozenset()
    for place, (words, following) in enumerate(pairwise((*clauses, ()))):
        is_open = is_open or _opens(words, language)
        is_joined = any(f"{joint} {' '.join(following[:2])}" in raw for joint in language.tables.joints)
        is_limited = not is_joined and _opens(following, language)
        before = Stance.OPEN if is_open or is_limited or (asks and place == len(clauses) - 1) else _NONE
        told = _subject(words, whole, raw)
        subject = subject if told is None else told
        keys = frozenset().union(*(_keys(word, language) for word in words))
        yield MeantClause(tuple(_meant(words, language, before, raw)), keys, subject, language)


def _opens(words: tuple[str, ...], language: StatementLanguage) -> bool:
    """True if a clause begins with a condition."""
    text = " ".join(words)
    found = language.marks.longest(words[0], text, 0) if words else None
    return found is not None and words[0] not in language.tables.me and Stance.OPEN in _of_mark(found, text, 0)


def _meant(words: tuple[str, ...], language: StatementLanguage, before: Stance, raw: str) -> Iterator[MeantWord]:
    """The words of a clause. In English a mark holds for what follows it; an end, and a mark of another language, for all."""
    is_english = language is statement_language("en")
    text, start, stance, everywhere = " ".join(words), 0, before, before
    pieces: list[tuple[str, Stance]] = []
    has_ended = False
    while start < len(text):
        first = text[start:].partition(" ")[0]
        found = language.marks.longest(first, text, start) or (start + len(first), Mark.NOISE)
        new = _of_mark(found, text, start) | (_of_word(first) if is_english and first in raw else _NONE)
        stance |= new
        has_ended |= found[1] is Mark.ENDED
        everywhere |= new if found[1] is Mark.ENDED or not is_english else _NONE
        pieces.extend((word, stance) for word in text[start : found[0]].split())
        start = found[0] + 1
    previous, denied = "", Stance.DENIED if has_ended else _NONE  # `not any more` denies once
    for word, meant in pieces:
        form = language.forms.get(word)
        is_past = form is not None and form.is_past and not (is_english and previous in {"have", "has", "is"})
        base = language.tables.be if word == language.tables.was else form.base if form else word
        yield MeantWord(
            word, _keys(word, language), (meant | everywhere) & ~denied, base, is_past or word == language.tables.was
        )
        previous = word


def _of_mark(found: tuple[int, Mark], text: str, start: int) -> Stance:
    end, mark = found
    words = text[start:end].split()
    if mark is Mark.VOID and (not _WHEN.isdisjoint(words) or text.startswith(" never", end)):  # `I'd never` is no condition
        return _NONE
    if mark is Mark.NEGATED and words[0].startswith("can"):
        return Stance.AVERSE
    if mark is Mark.NOISE and not NEGATIONS.isdisjoint(words):
        return Stance.DENIED
    return _OF_MARKS.get(mark, _NONE)


def _keys(word: str, language: StatementLanguage) -> frozenset[str | int]:
    root = stem(word.removesuffix("'s"))
    kin = language.kin.get(word.removesuffix("'s"))
    return frozenset((root, *related_words().get(root, ()), *([stem(kin)] if kin else [])))


@cache
def _averse_groups() -> frozenset[int]:
    return frozenset().union(*(related_words()[stem(word)] for word in _AVERSE))


def _of_word(word: str) -> Stance:
    root = stem(word)
    if root in _INTENDED:
        return Stance.OPEN
    if is_frame(word) or root in _NEUTRAL_OF_GROUPS:
        return _NONE
    is_averse = word in _ALONE or not _averse_groups().isdisjoint(related_words().get(root, ()))
    return Stance.AVERSE if is_averse else _NONE


def _subject(words: tuple[str, ...], whole: Said, raw: str) -> frozenset[str | int] | None:
    """Return of whom a clause tells; None if it does not say."""
    language = whole.language
    end = next((place for place, word in enumerate(words) if place and word in language.heads), len(words))
    before = words[: min(end, _LONGEST_SUBJECT)]
    if not set(before).isdisjoint(language.tables.me):
        return _USER
    plain = {word.removesuffix("'s") for word in before}
    others = {word for word in plain & language.kin.keys() if word in raw}
    if not others and not plain.isdisjoint(language.tables.my):
        return _USER
    if before[:1] and before[0] in language.tables.he:
        others |= {before[0], *whole.capitals.difference(words)}
    elif not language.tables.nouns_are_capital:
        others |= {word for word in plain & whole.capitals if word not in ENGLISH and not is_frame(word)}
    if not others and (end == len(words) or words[0] in language.heads):
        return None
    return frozenset().union(*(_keys(word, language) for word in others))


def _is_turned(clause: MeantClause, stated: Sequence[MeantClause], named: frozenset[str | int], ignored: Stance) -> bool:
    """True if no clause that shares most with a clause of a fact means it in the same way."""
    if all(is_frame(word.word) or _is_date(word.word) for word in clause.words):
        return False
    shared = [len({word.word for word in clause.on(each)}) for each in stated]
    best = max(shared, default=0)
    return bool(stated) and not any(
        _agrees(clause, each, ignored) and not (best and _is_of_another(clause, each, named))
        for each, count in zip(stated, shared, strict=True)
        if count == best
    )


def _agrees(fact: MeantClause, source: MeantClause, ignored: Stance) -> bool:
    mine, theirs = _stance(fact.on(source) or fact.words), _stance(source.on(fact) or source.words) & ~ignored
    mine = (mine | (_stance(fact.words) & Stance.AVERSE)) & ~ignored
    if fact.language is not source.language and not theirs & _NEGATIVE:
        mine &= ~Stance.AVERSE  # a word of another language may say so, too
    is_coming = bool(mine & (Stance.OPEN | Stance.COMING))
    return (
        (
            _agree_on_denial(mine, theirs)
            or (not mine & _NEGATIVE and Stance.DENIED not in theirs and any((word.is_past for word in fact.words)))
        )
        and (
            Stance.OPEN not in theirs
            or Stance.OPEN in mine
            or any(stem(word.word) in {"prefer", "want"} for word in fact.words[:_LONGEST_SUBJECT])
        )
        and (Stance.COMING not in theirs or is_coming or _is_dated(fact))
        and (Stance.COMING not in mine or bool(theirs & (Stance.OPEN | Stance.COMING)) or _is_dated(source))
        and not _is_over(fact, source)
    )


def _stance(words: Iterable[MeantWord]) -> Stance:
    found = _NONE
    for word in words:
        found |= word.stance
    return found


def _agree_on_denial(mine: Stance, theirs: Stance) -> bool:
    """True if both deny, or neither; who denies a denial agrees with nothing but that."""
    mine, theirs = mine & _NEGATIVE, theirs & _NEGATIVE
    return mine == theirs or (bool(mine) and bool(theirs) and _NEGATIVE not in (mine, theirs))


def _is_dated(clause: MeantClause) -> bool:
    """True if a clause says when by a date, or with a verb that tells what is to come: `I'm moving to York`."""
    forms = (clause.language.forms.get(word.word) for word in clause.words)
    words = {word.word for word in clause.words}
    return any(map(_is_date, words)) or not RELATIVE.isdisjoint(words) or any(form and form.is_coming for form in forms)


def _is_date(word: str) -> bool:
    return sum(map(str.isdigit, word)) >= len("2026") or month_number(word) is not None


def _is_over(fact: MeantClause, source: MeantClause) -> bool:
    """True if a fact states as of today a verb that its source has in the past only."""
    past = {word.base for word in source.words if word.is_past} - {word.base for word in source.words if not word.is_past}
    pairs = pairwise((*fact.words, fact.words[-1]))
    return any(word.base in past and not word.is_past and not following.is_past for word, following in pairs)


def _is_of_another(fact: MeantClause, source: MeantClause, named: frozenset[str | int]) -> bool:
    """True if a fact states of the user what its source states of somebody whom the fact does not name, or the reverse."""
    if fact.subject == _USER:
        return bool(source.subject) and source.subject.isdisjoint(named | _USER)
    theirs = source.language.tables.theirs.keys() - {*source.language.tables.me, *source.language.tables.my}
    said = {name for word in source.words for name in (word.word, word.base)}
    is_same = any(word.base in said & source.language.heads for word in fact.words) and theirs.isdisjoint(said)
    return is_same and source.subject == _USER and bool(fact.subject) and fact.subject.isdisjoint(source.keys)


def _contradicts(fact: str, sources: Sequence[str], names: tuple[str, ...]) -> bool:
    """True if a slot of a fact is stated by its sources, and with the opposite polarity only."""
    name = names[0] if names else None
    told = [slot for source in sources for slot in read_slots(source, speaker=name, user=name)]
    is_abroad = StatedWords(fact).language != StatedWords(" ".join(sources)).language
    for slot in read_slots(fact, speaker=name, user=name):
        same = [each for each in told if each.attribute == slot.attribute and (is_abroad or each.value == slot.value)]
        if same and all(each.negated != slot.negated for each in same):
            return True
    return False
