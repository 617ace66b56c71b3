"""Tells whether a turn corrects what its speaker said before: `I live in Leeds.`, then `no wait, York`.

Only a short turn that begins as corrections do is read for one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from shared.language.tables import ENGLISH
from shared.language.text.sentences import sentences

if TYPE_CHECKING:
    from shared.language.statements.clauses import Sentence
    from shared.language.statements.language import StatementLanguage
    from shared.language.statements.slots import ReadSlot

_LONGEST_WORDS = 20
_LONGEST_EARLIER = 300
_FIRST_WORDS = 8
_CUE_WORDS = (
    "no nope nah not sorry actually wait rather scratch ignore disregard forget mixed messed mistake bad misspoke oops whoops",
    "correction wrong meant mean typo kidding joking jk hang hold",
    "nein nee ne nicht sondern quatsch moment stimmt falsch meinte korrektur tippfehler scherz spaß verwechselt vertan",
    "vielmehr entschuldigung perdón perdona espera digo quise corrección equivoqué broma sino",
    "non pardon pas plutôt désolé désolée erreur attends blague rigole trompé enfin",
)
_CUES = frozenset(word for line in _CUE_WORDS for word in line.split())
"""A turn without any of these among its first words is no correction."""
_POLITE = re.compile(r"(?:no|not) (?:worries|problem|way|idea|really|yet|at all|bad|sure|today)\b", re.IGNORECASE)
_CONFESSIONS = (
    r"(?:just|only|obviously|totally) (?:kidding|joking)|kidding|j/?k",
    r"(?:nur|war nur) (?:ein )?(?:spaß|spass|scherz|witz)|(?:kleiner )?scherz",
    r"(?:es|era) (?:una )?broma|es coña",
    r"je (?:rigole|plaisante|déconne)|c'est une blague",
)
_JOKING = re.compile(
    rf"(?:\b(?:{'|'.join(_CONFESSIONS)})|\s/s)(?: (?:lol|haha\w*|xd|mdr|jaja\w*|of course|natürlich|obviously))?[\s.!…)]*$",
    re.IGNORECASE,
)
_NO_JOKE = re.compile(r"\b(?:not|no|never|kein|kaum|sin|no es|pas)[ ,]+(?:just |only )?\S+[\s.!…)]*$", re.IGNORECASE)
_WORD = re.compile(r"[\w'’]+")
_MARKS = ".,;:!?()\"'"
_FEW_NAMES = 4


class Righting(StrEnum):
    """The share of a statement that a correction replaces."""

    WHOLLY = "wholly"
    PARTLY = "partly"


def may_put_right(text: str) -> bool:
    """Return True if a turn begins as corrections do. A quick check that spares most turns the reading.

    >>> may_put_right("sorry, I meant 4"), may_put_right("Not cashews, walnuts."), may_put_right("What a day!")
    (True, True, False)
    """
    words = _WORD.findall(text)
    is_short = 0 < len(words) <= _LONGEST_WORDS and not _POLITE.match(text)
    return is_short and "?" not in text and not _CUES.isdisjoint(word.lower() for word in words[:_FIRST_WORDS])


@functools.lru_cache(maxsize=2_048)
def righting(earlier: str, later: str, *, is_next: bool = True) -> Righting | None:
    """Return how much of an earlier statement a later turn corrects; None if it corrects nothing.

    Call it for turns of which `may_put_right` is true. `is_next`: the speaker stated nothing between the two. A turn that names
    no value of the earlier statement's slots corrects it only if it is the next one.

    >>> righting("I live in Leeds.", "no wait, York"), righting("I live in Leeds.", "no worries")
    (<Righting.WHOLLY: 'wholly'>, None)
    """
    from shared.language.statements.clauses import Mood  # noqa: PLC0415 - tables that nobody needs at the start
    from shared.language.statements.language import statement_language  # noqa: PLC0415
    from shared.language.statements.reading import correct_slots, read  # noqa: PLC0415

    if len(earlier) > _LONGEST_EARLIER or earlier.rstrip().endswith("?"):
        return None
    before = read(earlier, language=ENGLISH)
    after = read(later, language=before.language or ENGLISH)
    if not before.sentences or not after.sentences or before.language is None:
        return None
    language, sentence = statement_language(before.language), after.sentences[0]
    if sentence.mood in (Mood.RETRACTION, Mood.JOKE):
        return Righting.WHOLLY if is_next else None
    if sentence.mood is not Mood.CORRECTION and not names_old(sentence, [earlier], language):
        return None
    right = correct_slots(sentence, before.slots, language)
    now = {(slot.subject, slot.attribute): slot for slot in right or after.slots_of.get(0, ())}
    changed = [slot for slot in before.slots if _is_changed(slot, now.get((slot.subject, slot.attribute)))]
    if changed:
        return Righting.WHOLLY if len(changed) == len(before.slots) and before.slots[0].is_whole else Righting.PARTLY
    return Righting.PARTLY if is_next and may_correct(sentence, [earlier], language) else None


def may_correct(sentence: Sentence, earlier: Sequence[str], language: StatementLanguage) -> bool:
    """Return True if a correction that names no value of a slot puts right what was said before it nevertheless."""
    words = sentence.whole.tokens
    if len(words) > _LONGEST_WORDS:
        return False
    if names_old(sentence, earlier, language):
        return True
    if any(clause.is_own for clause in sentence.clauses):
        return False  # a statement of its own, behind `actually`
    said = _words_in(earlier)
    kinds = (language.weekdays, language.months, language.kin)
    is_alike = any(any(token.word in kind for token in words) and not said.isdisjoint(kind) for kind in kinds)
    has_number = any(token.word[0].isdigit() for token in words) and any(word[:1].isdigit() for word in said)
    has_name = len(words) <= _FEW_NAMES and any(token.is_capital for token in words) and any(map(_has_name, earlier))
    return sentence.says_wrong or is_alike or has_number or has_name


def names_old(sentence: Sentence, earlier: Sequence[str], language: StatementLanguage) -> bool:
    """Return True if a sentence names words of an earlier one as wrong: `not the station, the library`."""
    words = [token.word for token in sentence.whole.tokens if token.start < token.end]
    if language.instead_words.isdisjoint(words) or words[0] in language.me | language.my:
        return False
    said = _words_in(earlier)
    matches = (shape.pattern.fullmatch(sentence.whole.said) for shape in language.instead if "old" in shape.types)
    return any(
        match and match["old"] and not _ends_in_verb(match["words"], language) and said.issuperset(match["old"].split())
        for match in matches
    )


def _ends_in_verb(words: str, language: StatementLanguage) -> bool:
    """True for `Anna does` of `Anna does not eat meat`, where nothing is put right."""
    return words.rpartition(" ")[2] in language.little


def _words_in(texts: Sequence[str]) -> set[str]:
    return {word.strip(_MARKS) for each in texts for word in each.lower().split()}


def _has_name(words: str) -> bool:
    return any(word[:1].isupper() for word in words.split()[1:] if len(word) > 1)


def is_joke(text: str) -> bool:
    """Return True if a statement ends by saying that it was a joke.

    >>> is_joke("I live at the gym now lol, just kidding"), is_joke("I moved. I live at the gym, jk"), is_joke("not kidding")
    (True, False, False)
    """
    if len(text) > _LONGEST_EARLIER or not (found := _JOKING.search(text)) or _NO_JOKE.search(text):
        return False
    before = text[: found.start()].rstrip(" ,.!…;:-–—(")
    return bool(before) and len(sentences(before)) == 1


def _is_changed(slot: ReadSlot, now: ReadSlot | None) -> bool:
    """True if the correction gives the slot another value, or denies it."""
    return now is not None and (now.value, now.negated) != (slot.value, slot.negated)
