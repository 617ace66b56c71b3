"""Compares a sentence that tells of a change with what is known, word by word, for what no table of attributes knows.

`Had to rehome Biscuit` ends the fact that has its object, `cholesterol came back at 190` the one that says the same with
another number. A sentence that ends something must name it, one that changes something must share what the value is of;
what is not certain, or tells of somebody else, outdates nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from shared.statements.changing import ChangeLanguage, EndWording, change_language
from shared.statements.clauses import Said, said
from shared.statements.marking import marked_clause
from shared.statements.stems import stems
from shared.statements.tables import Mark
from shared.statements.typed import ADDRESSES, Typed, ValueType, typed
from shared.text.grammar import is_past

_UNSURE = frozenset({Mark.VOID, Mark.JOKE, Mark.DOUBT, Mark.FUTURE, Mark.SKIPPED})
_NOT_MEANT = frozenset({Mark.JOKE, Mark.DOUBT})
_TOLD = re.compile(r"[^„«“\"]{,80}: ?[„«“\"] ?(?P<words>.+?) ?[“»”\"]\.?")
_WORD = re.compile(r"[\w'-]+")
_ENOUGH = 0.6
"""Share of the words of the shorter text that both must have, where a value differs."""
_MOST_BESIDE = 2
"""Most words that a fact may hold beside what a sentence ends: who cancels Netflix ends no fact about a film there."""
_LONGEST_SUBJECT = 3
_JOINED = "&"
_SIGNS = frozenset({",", _JOINED})


class Ended(NamedTuple):
    """Something that has ended."""

    named: frozenset[str]  # its stems
    roles: frozenset[str]  # the words for people who may be meant by them
    whose: frozenset[str]  # the words for the relative whose end it is; none: the user's


@dataclass(frozen=True)
class ComparedClause:
    """A clause, with what is compared of it."""

    words: tuple[str, ...]
    language: ChangeLanguage
    found: Typed
    is_certain: bool
    """Whether the clause states something: no plan, joke, doubt or condition."""
    is_meant: bool
    """Whether the clause may deny something: `I don't want to move any more` is no plan."""
    is_negated: bool

    @cached_property
    def text(self) -> str:
        """The words, written out."""
        return " ".join(self.words)

    @cached_property
    def content(self) -> frozenset[str]:
        """The stems of what the clause is about, without values and names."""
        return self.stems_of(" ".join(self.found.rest))

    @cached_property
    def people(self) -> frozenset[str]:
        """The words of the clause for relatives, friends and pets."""
        return self.language.people & frozenset(self.words)

    @cached_property
    def subjects(self) -> frozenset[str]:
        """The words for relatives, friends and pets of whom the clause tells."""
        return self.language.people & frozenset(self.words[:_LONGEST_SUBJECT])

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all that tells something, values and names as well."""
        return self.stems_of(self.text)

    @cached_property
    def is_own(self) -> bool:
        """Whether the clause tells of the user."""
        if not self.language.firsts.isdisjoint(self.words):
            return True
        is_named = (ValueType.NAME, self.words[0]) in self.found.values or self.words[0] in self.language.articles
        return self.language.drops_subject and not is_named and not self.subjects

    @cached_property
    def ends(self) -> tuple[Ended, ...]:
        """What the clause says to have ended."""
        return tuple(self._ends())

    def _ends(self) -> Iterator[Ended]:
        for ending in self.language.endings:
            for pattern in ending.patterns:
                if self._may_end(ending, pattern) and (match := pattern.search(self.text)):
                    named, is_subject = self._object(match["x"]), match.start("x") == 0
                    if named and (is_subject or self._is_told(self.text[: match.start()])):
                        yield Ended(named, ending.roles, self._owners(match["x"]) if is_subject else self.subjects)

    def _may_end(self, ending: EndWording, pattern: re.Pattern[str]) -> bool:
        if ending.is_denial:
            return self.is_certain or (self.is_meant and pattern.pattern.startswith("^"))
        return self.is_certain and not self.is_negated

    def _is_told(self, before: str) -> bool:
        """Whether the clause says for whom something ended, by what stands before the verb."""
        return self.is_own or self.language.subjectless.fullmatch(before) is not None

    def _owners(self, words: str) -> frozenset[str]:
        """The relatives who are named behind what has ended: `the car of my uncle`."""
        parts = self.language.after_object.split(words)
        place = next((place for place, part in enumerate(parts) if self.stems_of(part)), len(parts))
        return self.language.people & frozenset(word for part in parts[place + 1 :] for word in part.split())

    def _object(self, words: str) -> frozenset[str]:
        """The stems of the first words that tell something, before what only says where, when or why."""
        return next(filter(None, map(self.stems_of, self.language.after_object.split(words))), frozenset())

    @cached_property
    def tells_event(self) -> bool:
        """Whether the clause tells what was done once, of which no other value can be so since."""
        first = self.words[: 2 * _LONGEST_SUBJECT]
        return any(is_past(word) and before not in self.language.auxiliaries for before, word in pairwise(("", *first)))

    def tells_value_of_more(self, named: frozenset[str]) -> bool:
        """Whether the clause tells the value of a thing of a longer name: `my blood sugar is 7`, of sugar."""
        if self.words[0] not in self.language.owning or self.language.be not in self.words:
            return False
        whose = self.stems_of(" ".join(self.words[: self.words.index(self.language.be)]))
        return not whose.isdisjoint(named) and not whose <= named

    def stems_of(self, words: str) -> frozenset[str]:
        """The stems of the words that tell something."""
        telling = [word for word in words.split() if word not in self.language.frame and word not in _SIGNS]
        return frozenset(stems(" ".join(telling))) - self.language.frame if telling else frozenset()


@dataclass(frozen=True)
class ComparedText:
    """A text, ready to be compared with others."""

    clauses: tuple[ComparedClause, ...]
    names: frozenset[str]
    is_news: bool
    """Whether the text says that something is so since lately."""
    adds: bool
    """Whether the text says that something is so beside something else."""

    @cached_property
    def content(self) -> frozenset[str]:
        """The stems of what the text is about."""
        return frozenset().union(*(clause.content for clause in self.clauses))

    @cached_property
    def subjects(self) -> frozenset[str]:
        """The words for relatives, friends and pets of whom the text tells."""
        return frozenset().union(*(clause.subjects for clause in self.clauses))

    @cached_property
    def ends(self) -> frozenset[Ended]:
        """What the text says to have ended."""
        return frozenset(end for clause in self.clauses for end in clause.ends)

    @cached_property
    def has_ended(self) -> bool:
        """Whether the text tells that something does not hold."""
        return bool(self.ends) or any(clause.is_negated for clause in self.clauses)

    @property
    def tells_change(self) -> bool:
        """Whether the text may outdate a fact."""
        return bool(self.ends) or (self.is_news and any(each.found.values for each in self.clauses))


@lru_cache(maxsize=1_024)
def compared(text: str, names: tuple[str, ...] = ()) -> ComparedText:
    """A sentence as it is compared; `names` mean the user."""
    whole = said(text, names)
    language = change_language(whole.language)
    spoken = " ".join(_WORD.findall(text.lower()))
    is_news, adds = bool(language.news.search(spoken)), bool(language.adds.search(spoken))
    return ComparedText(tuple(_clauses(whole, language)), whole.capitals - {"i"}, is_news, adds)


def compared_fact(text: str, names: tuple[str, ...] = ()) -> ComparedText:
    """A known fact as it is compared: of one that quotes the user, what was said."""
    told = _TOLD.fullmatch(text)
    return compared(told["words"] if told else text, names)


def outdated(new: ComparedText, known: Sequence[ComparedText]) -> list[int]:
    """The places of the known texts that the new one outdates.

    >>> outdated(compared("had to rehome Biscuit"), [compared("I have a dog named Biscuit"), compared("I live in York")])
    [0]
    """
    places = [place for place, old in enumerate(known) if any(_ends(end, old) for end in new.ends)]
    return places or _changed(new, known)


def _clauses(whole: Said, language: ChangeLanguage) -> Iterator[ComparedClause]:
    """The clauses of a text: `Luca` and `I broke up` are one."""
    is_void = False
    before: tuple[str, ...] = ()
    for clause in whole.clauses:
        marks = marked_clause(language.plainer(clause.words), whole).marks
        is_void = is_void and not clause.begins_sentence
        is_meant = not is_void and _NOT_MEANT.isdisjoint(marks)
        is_void = is_void or Mark.VOID in marks
        is_joined = bool(before) and clause.words[0] in language.firsts
        words = (*before, _JOINED, *clause.words) if is_joined else clause.words
        before = clause.words if len(clause.words) <= _LONGEST_SUBJECT else ()
        is_certain = is_meant and _UNSURE.isdisjoint(marks)
        yield ComparedClause(words, language, typed(words, whole), is_certain, is_meant, Mark.NEGATED in marks)


def _ends(end: Ended, old: ComparedText) -> bool:
    """Whether a text states what has ended, and little else, of whom it ended for and of nobody else."""
    return not old.has_ended and any(
        clause.is_own
        and end.named <= clause.stems
        and clause.people - end.whose <= end.roles
        and end.whose <= clause.subjects
        and len(clause.stems - end.named) <= _MOST_BESIDE + len(end.named)
        and not clause.tells_value_of_more(end.named)
        for clause in old.clauses
    )


def _changed(new: ComparedText, known: Sequence[ComparedText]) -> list[int]:
    """The place of the one text that says the same with another value."""
    if not new.is_news or new.adds:
        return []
    scored = [(score, place) for place, old in enumerate(known) if not old.has_ended and (score := _sameness(new, old))]
    best = max((score for score, _ in scored), default=0.0)
    found = [place for score, place in scored if score == best]
    return found if len(found) == 1 else []


def _sameness(new: ComparedText, old: ComparedText) -> float:
    """How much of what the values are of both texts share, from 0 to 1; 0 where no value differs."""
    shared = new.names & old.names
    if not shared and new.subjects != old.subjects:
        return 0.0
    names = frozenset(stems(" ".join(shared))) if shared else frozenset()
    certain = [clause for clause in new.clauses if clause.is_certain]
    lasting = [clause for clause in old.clauses if not clause.tells_event]
    pairs = ((one, other) for one in certain for other in lasting if one.found.differing(other.found))
    return max((_shared(one, other, new.content, names) for one, other in pairs), default=0.0)


def _shared(one: ComparedClause, other: ComparedClause, whole: frozenset[str], names: frozenset[str]) -> float:
    kinds, theirs = one.found.differing(other.found), other.content | (names & other.stems)
    for mine in (one.content | (names & one.stems), whole | names):
        common = mine & theirs
        if not ADDRESSES.isdisjoint(kinds) and (common or not mine):
            return 1.0
        is_enough = bool(common) and len(common) >= _ENOUGH * min(len(mine), len(theirs))
        is_name = kinds == {ValueType.NAME}  # two friends have two names
        if is_enough and not (is_name and (mine != theirs or one.subjects)):
            return len(common) / len(mine | theirs)
    return 0.0
