"""Tells about which attributes a question asks: `Where do I live?` asks about the home.

An attribute is known by its own words, and by those in which a person would be asked about it.
"""

import functools
import re
from collections import Counter
from collections.abc import Collection

from services.retriever.domain.excerpt import AskedWords, asked_words
from services.retriever.domain.questions import all_sayings
from shared.language.questions.tables import question_tables
from shared.language.text.names import find_names
from shared.language.text.words import search_words

_PLACE = re.compile(r"\{\w+\}")
_IN_MANY = 4
"""A word in so many questions, as `now`, tells nothing of any."""


def asked_about(question: AskedWords, attributes: Collection[str]) -> frozenset[str]:
    """The attributes among `attributes` that a question asks about.

    >>> sorted(asked_about(asked_words("Where do I live?"), {"home", "employer", "favourite band"}))
    ['home']
    """
    return frozenset([each for each in attributes if not question.stems.isdisjoint(_telling(each, question.language))])


def asked_plainly(text: str) -> AskedWords:
    """The words of a question that say something, with attributes in the place of phrases that mean them.

    >>> sorted(asked_plainly("What do I do for a living?").stems)
    ['job']
    """
    question = asked_words(text)
    language = question.language
    if language not in all_sayings() or _any_saying(language).search(text.casefold()) is None:
        return question
    return asked_words(_plainly(text, language), language)


def asked_only(text: str, attributes: Collection[str]) -> frozenset[str]:
    """The asker's own attributes about which a question asks as they are now; none where it asks about anything else.

    >>> sorted(asked_only("What do I do for a living?", {"home", "job"})), sorted(asked_only("Do I live near Ann?", {"home"}))
    (['job'], [])
    """
    if not asks_of_oneself(text):
        return frozenset()
    language = asked_words(text).language
    question = AskedWords(_stems(_plainly(text, language), language), language)
    asked = question.stems - _stems(" ".join(sorted(question_tables(language).aside)), language)
    return frozenset(each for each in asked_about(question, attributes) if asked <= _telling(each, language))


def asks_of_oneself(text: str) -> bool:
    """True if a question may ask what holds now of the asker, by its words: `asked_only` finds nothing where it does not.

    >>> asks_of_oneself("Where do I live?"), asks_of_oneself("Where did I live?"), asks_of_oneself("Where does Ann live?")
    (True, False, False)
    """
    is_own, is_past = _asked(text)
    return is_own and not is_past


def asks_of_now(text: str) -> bool:
    """True if a question may ask what holds now, and names nobody but the asker.

    >>> asks_of_now("When is the baby due?"), asks_of_now("When was the baby born?"), asks_of_now("When does Ann swim?")
    (True, False, False)
    """
    is_own, is_past = _asked(text)
    return not is_past and (is_own or not find_names(text))


def _asked(text: str) -> tuple[bool, bool]:
    """Return whether a question has words of the first person, and whether it has words about what was."""
    tables, words = question_tables(asked_words(text).language), search_words(text)
    own = tables.first_person | tables.first_person_verbs
    return not own.isdisjoint(words), not tables.past.isdisjoint(words)


def _plainly(text: str, language: str) -> str:
    """A question with the attributes in the place of phrases that mean them: `for a living` asks about the job."""
    plain = text.casefold()
    for phrase, attribute in all_sayings()[language].means.items():
        plain = re.sub(rf"\b{phrase}\b", attribute, plain)
    return plain


@functools.cache
def _any_saying(language: str) -> re.Pattern[str]:
    """All phrases that mean attributes: hardly a question has one."""
    return re.compile("|".join(rf"\b{phrase}\b" for phrase in all_sayings()[language].means))


@functools.lru_cache(2_048)
def _telling(attribute: str, language: str) -> frozenset[str]:
    """The stems of the words by which an attribute is known."""
    return _cues(language).get(attribute, frozenset()) | _stems(attribute, language)


@functools.cache
def _cues(language: str) -> dict[str, frozenset[str]]:
    """The stems of the words by which each attribute is asked about in a language."""
    sayings = all_sayings().get(language)
    stems = {name: _stems(_PLACE.sub("", asked), language) for name, asked in sayings.yours.items()} if sayings else {}
    counted = Counter(stem for found in stems.values() for stem in found)
    return {name: frozenset(stem for stem in found if counted[stem] < _IN_MANY) for name, found in stems.items()}


def _stems(words: str, language: str) -> frozenset[str]:
    return asked_words(words, language).stems
