"""Tells which sentences are worth keeping: the person's own statements that matter beyond the moment."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from shared.language.statements.clauses import Clause, Mood, Sentence
from shared.language.statements.language import StatementLanguage
from shared.language.statements.values import Token
from shared.language.statements.wishing import is_lasting_wish

_WORDS = re.compile(r"[\w'-]+")
_LEAST_WORDS = 3
_LEAST_TELLING = 2
_LONGEST_NAME = 3


def is_worth_keeping(
    sentence: Sentence, language: StatementLanguage, people: Collection[str] = (), own_names: Collection[str] = ()
) -> bool:
    """Return True if a sentence without a slot is worth a quotation. `people`: names of those whom the person told of.

    >>> from shared.language.statements.reading import read
    >>> from shared.language.statements.language import statement_language
    >>> said = ("I grow leeks on my allotment", "I think so too", "My function returns an error", "What do I grow?")
    >>> [is_worth_keeping(read(each, language="en").sentences[0], statement_language("en")) for each in said]
    [True, False, False, False]
    """
    if sentence.mood not in (Mood.STATED, Mood.HEDGED, Mood.CORRECTION):
        return False
    own = [
        clause
        for clause in sentence.clauses
        if clause.is_own
        or _is_of_known(clause, people)
        or _is_appointment(clause, language)
        or _concerns_user(clause, language)
    ]
    told = [clause for clause in own if not _is_passing(clause, language)]
    telling = [token for clause in told for token in _telling(clause, language) if token.word not in own_names]
    words = [token.word for token in telling]
    has_name = any(token.is_capital for token in telling)
    if not told or not words or len(sentence.whole.tokens) < _LEAST_WORDS:
        return False
    said = " ".join(_WORDS.findall(sentence.written.lower()))
    is_over_tomorrow = language.today.search(said) and not language.weighty.intersection(
        token.word for token in sentence.whole.tokens
    )
    known = language.kin.keys() | language.weighty | language.health
    is_sure = has_name or any(word[0].isdigit() or word in known for word in words)
    return not is_over_tomorrow and (is_sure or len(words) >= _LEAST_TELLING)


def _is_of_known(clause: Clause, people: Collection[str]) -> bool:
    return any(" ".join(token.word for token in clause.tokens[:count]) in people for count in range(1, _LONGEST_NAME))


def _is_appointment(clause: Clause, language: StatementLanguage) -> bool:
    """True for an event on a named day without another person as subject: `dentist on Tuesday at 2`."""
    words = [token.word for token in clause.tokens]
    has_day = any(word in language.weekdays or word in language.months for word in words)
    is_due = any(word in language.weighty or language.kin.get(word) == "doctor" for word in words)
    return has_day and is_due and words[0] not in language.subjects


def _concerns_user(clause: Clause, language: StatementLanguage) -> bool:
    """True for a weighty event or a matter of health that affects the user: `they raised my rent`, `milk upsets my stomach`."""
    words = {token.word for token in clause.tokens}
    first = clause.tokens[0]
    begins = language.subjects | language.articles | language.fronted | language.health | language.no
    told = first.is_capital or first.word in begins
    return told and not words.isdisjoint(language.first_person) and not words.isdisjoint(language.health | language.weighty)


def _is_passing(clause: Clause, language: StatementLanguage) -> bool:
    """True for a clause about the moment or the conversation only; `I think I am moving` is none."""
    found = language.passing.match(clause.text)
    return found is not None and clause.text[found.end() :].partition(" ")[0] not in language.me | language.my


def _telling(clause: Clause, language: StatementLanguage) -> Iterator[Token]:
    """The words of a clause that say something of somebody."""
    return (
        token
        for token in clause.tokens
        if token.is_word and token.word not in language.little and token.word not in language.empty
    )


def has_substance(sentence: Sentence, language: StatementLanguage) -> bool:
    """Return True if a sentence has a word beyond small talk. For answers, and for requests to remember."""
    return any(token.word not in language.talk for token in _telling(sentence.whole, language))


def is_wish(sentence: Sentence, language: StatementLanguage) -> bool:
    """Return True if a sentence is a lasting wish to the bot: by certain phrases, or by what was learned of such wishes.

    >>> from shared.language.statements.reading import read
    >>> from shared.language.statements.language import statement_language
    >>> said = ("Please always answer in bullet points", "I never eat fish", "Never mind", "Don't use emojis")
    >>> [is_wish(read(each).sentences[0], statement_language("en")) for each in said]
    [True, False, False, True]
    """
    said = sentence.whole.said
    if language.wish_once.search(said):
        return False
    if case := language.wish_cases.match(said):
        return language.wishes_then.search(said[case.end() :])
    is_request = said.partition(" ")[0] not in language.subjects
    is_certain = language.wishes.match(said) or (is_request and language.wish_ends.match_end(said))
    return bool(is_certain) or is_lasting_wish(sentence.written, language)
