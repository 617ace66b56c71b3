"""Tells what a reader would keep of what was said from praise, feelings, figures of speech and what is over by tomorrow."""

import re
from collections.abc import Iterator, Sequence

from services.consolidator.domain.kinds import FactTag, StatementRule
from services.consolidator.domain.language import LearningLanguage
from shared.language.statements.attributes import ValueKind, attribute
from shared.language.statements.slots import ReadSlot
from shared.language.statements.subjects import USER
from shared.language.text.calendar import MONTH, WEEKDAY
from shared.language.text.languages import STOP_WORDS
from shared.language.text.stemming import stem

_WORD = re.compile(r"[^\W_]{2,}|\d|[$€£]")
_CLAUSE = re.compile(
    r"\s*(?:[,;:]|\s[-–—]|\b(?:but|so|because|cos|since|although|though|which)\b)\s*|\band (?=(?:I|we|it|my|the|s?he|they)\b)"
)
_LOOSE = frozenset(("activity", "likes", "habit", "goal", "family", "friend", "looking for", "project", "learning", "interest"))
"""Attributes that any words may fill: what they state is worth what the words are."""


_OF_ONE_TIME = frozenset((FactTag.EVENT, FactTag.PLAN, FactTag.RELATIONSHIP))
_DAY = re.compile(rf"\b(?:{WEEKDAY}|\d{{1,2}}(?:st|nd|rd|th)|\d{{1,2}} {MONTH}|{MONTH} \d{{1,2}}|tomorrow)\b", re.IGNORECASE)
_OF_THE_NAMED = frozenset(
    (
        "relationship",
        "condition",
        "allergy",
        "diet",
        "age",
        "birthday",
        "home",
        "employer",
        "job",
        "medication",
        "school",
        "school year",
        "university",
    )
)
"""What is worth keeping of somebody of whom only the name is known."""


_ALWAYS = frozenset(("shift", "team", "condition", "home", "employer", "diet", "allergy", "medication", "sleep", "teaches"))
"""Of these any value is worth keeping, also where its words are plain ones: a bad back, night shifts."""
_MEASURE = re.compile(rf"\d|\b{WEEKDAY}s?\b", re.IGNORECASE)
_NAMING = re.compile(r"(?<=[a-z,] )[A-Z]\w|\d")
_MEASURED = frozenset((ValueKind.MONEY, ValueKind.TIME, ValueKind.NUMBER, ValueKind.CONTACT))


def is_worth_keeping(words: str, found: Sequence[StatementRule], slots: Sequence[ReadSlot], language: LearningLanguage) -> bool:
    """Whether a statement states something: a slot of its own, or a clause that is more than a judgement or a feeling.

    >>> from services.consolidator.domain.language import learning_language
    >>> english = learning_language("en")
    >>> said = ("I grow leeks", "It was such a special day", "My family is awesome")
    >>> [is_worth_keeping(words, (), (), english) for words in said]
    [True, False, False]
    """
    if language.passing.search(words):
        return False
    return _tells_change(words, slots, language) or _is_told(words, found, slots, language)


def _is_told(words: str, found: Sequence[StatementRule], slots: Sequence[ReadSlot], language: LearningLanguage) -> bool:
    is_near = bool(language.near.search(words))
    own = [slot for slot in slots if _is_of_somebody(slot, words, is_near=is_near)]
    if any(slot.attribute not in _LOOSE and _names(slot, language) for slot in own):
        return True
    if slots and not (found or own):
        return False
    if not is_near:
        return bool(found) and bool(_DAY.search(words)) and not language.judges.search(words)
    if (language.vague.search(words) and not _NAMING.search(words)) or _is_of_the_day(words, found, language):
        return False
    return any(_tells_something(clause, language) for clause in _clauses(words))


def _tells_change(words: str, slots: Sequence[ReadSlot], language: LearningLanguage) -> bool:
    """Whether a statement ends or changes something, which is never said in passing: what was said before would be kept."""
    told = [slot for slot in slots if not slot.is_generic and _names(slot, language)]
    is_end = any(slot.negated and slot.replaces is not None for slot in told)
    return is_end or (bool(language.changes.search(words)) and bool(told))


def has_substance(words: str, language: LearningLanguage) -> bool:
    """Whether a statement that is wanted anyway says anything at all.

    >>> from services.consolidator.domain.language import learning_language
    >>> has_substance("Even small things can make a difference", learning_language("en"))
    False
    """
    return not language.passing.search(words) and any(_tells_something(clause, language) for clause in _clauses(words))


def _is_of_the_day(words: str, found: Sequence[StatementRule], language: LearningLanguage) -> bool:
    """Whether a statement is over by tomorrow: `I am cooking today`."""
    is_once = all(rule.tag in _OF_ONE_TIME for rule in found)
    return is_once and bool(language.of_the_day.search(words)) and not language.momentous.search(words)


def _names(slot: ReadSlot, language: LearningLanguage) -> bool:
    return slot.value is None or slot.attribute in _ALWAYS or any(_is_telling(word, language) for word in _words(slot.value))


def _is_of_somebody(slot: ReadSlot, words: str, *, is_near: bool) -> bool:
    """Whether a slot is of the user, of a relative, or of somebody by a name: not of `jazz`, nor of Mother Teresa."""
    if is_near:
        is_named = attribute(slot.attribute).kind is ValueKind.NAME and words.lower().startswith(slot.subject)
        return slot.subject.startswith(USER) or is_named or words.lower().startswith(f"{slot.subject} ")
    if slot.subject == USER and slot.attribute.startswith("favourite"):
        return True
    if slot.subject == USER:
        is_measured = attribute(slot.attribute).kind in _MEASURED or _MEASURE.search(slot.value or "")
        return slot.negated or bool(is_measured) or slot.attribute in _OF_THE_NAMED
    is_first = any(clause.lower().startswith(slot.subject) for clause in _clauses(words))  # `big news, nora is pregnant`
    is_lasting = slot.attribute in _OF_THE_NAMED or attribute(slot.attribute).kind is ValueKind.NAME
    return slot.subject.startswith(USER) or (is_lasting and is_first)


def _clauses(words: str) -> Iterator[str]:
    return (clause for clause in _CLAUSE.split(words) if clause)


def _tells_something(clause: str, language: LearningLanguage) -> bool:
    return not language.judges.search(clause) and any(_is_telling(word, language) for word in _words(clause))


def _words(clause: str) -> Sequence[str]:
    return _WORD.findall(clause.lower())


def _is_telling(word: str, language: LearningLanguage) -> bool:
    return word not in STOP_WORDS[language.code] and stem(word, language.code) not in language.empty
