"""Tells whether what somebody says next puts right what they said before: `I live in Leeds.`, `no wait, York`.

Both are read as one text, for a correction means little alone. Only a short turn that begins as corrections do is looked into.
"""

import functools
import re
from collections.abc import Iterable
from enum import StrEnum

from shared.language.statements.slots import ReadSlot
from shared.language.statements.whole import recently_read
from shared.language.text.sentences import sentences

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
_TAKES_BACK = re.compile(
    r"\b(?:(?:scratch|ignore|disregard|forget) that|typo|correction|i meant|i misspoke|(?:that was|that's) wrong"
    r"|my (?:mistake|bad)|mixed (?:that|it|them) up|ich meinte|quatsch|tippfehler|korrektur|quise decir|me equivoqué"
    r"|corrección|je voulais dire|je me suis trompée?)\b",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"^(?:no,? )?(?:it'?s |its )?(?:not|nicht|pas|no) (?P<old>[\w'-]+)(?:,| but| sondern| mais| sino) \w", re.IGNORECASE
)
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
_END = " .!…"


class Righting(StrEnum):
    """How much of a statement another one puts right."""

    WHOLLY = "wholly"
    PARTLY = "partly"


def may_put_right(text: str) -> bool:
    """Whether a turn begins as corrections do; cheap, for most turns are none.

    >>> may_put_right("sorry, I meant 4"), may_put_right("Not cashews, walnuts."), may_put_right("What a day!")
    (True, True, False)
    """
    words = _WORD.findall(text)
    is_short = 0 < len(words) <= _LONGEST_WORDS and not _POLITE.match(text)
    return is_short and "?" not in text and not _CUES.isdisjoint(word.lower() for word in words[:_FIRST_WORDS])


@functools.lru_cache(maxsize=2_048)
def righting(earlier: str, later: str, *, is_next: bool = True) -> Righting | None:
    """How much of an earlier statement a turn puts right that `may_put_right`. `is_next`: nothing was stated between them.

    Only what the earlier one states plainly can be put right: a turn that only has a word of it is about something else.

    >>> righting("I live in Leeds.", "no wait, York"), righting("I live in Leeds.", "no worries")
    (<Righting.WHOLLY: 'wholly'>, None)
    """
    if len(earlier) > _LONGEST_EARLIER or earlier.rstrip().endswith("?"):
        return None
    read, both = recently_read(earlier), recently_read(f"{earlier.rstrip(_END)}. {later}")
    if read and not both:  # it was a joke
        return Righting.WHOLLY
    told = [slot for slot in read if not slot.is_implied]
    if changed := [slot for slot in told if _is_changed(slot, both)]:
        return Righting.WHOLLY if len(changed) == len(told) and told[0].is_whole else Righting.PARTLY
    contrast = _NOT_BUT.match(later)
    is_named = contrast is not None and any((slot.value or "").endswith(contrast["old"].lower()) for slot in told)
    return Righting.PARTLY if is_named or (told and is_next and _TAKES_BACK.search(later)) else None


def is_joke(text: str) -> bool:
    """Whether a statement ends by saying that it was a joke.

    >>> is_joke("I live at the gym now lol, just kidding"), is_joke("I moved. I live at the gym, jk"), is_joke("not kidding")
    (True, False, False)
    """
    if len(text) > _LONGEST_EARLIER or not (found := _JOKING.search(text)) or _NO_JOKE.search(text):
        return False
    before = text[: found.start()].rstrip(" ,.!…;:-–—(")
    return bool(before) and len(sentences(before)) == 1


def _is_changed(slot: ReadSlot, both: Iterable[ReadSlot]) -> bool:
    """Whether a slot reads otherwise once what was said next is read, too."""
    now = [each for each in both if (each.subject, each.attribute) == (slot.subject, slot.attribute)]
    is_replaced = any(each.replaces == slot.value and each.value != slot.value for each in now)
    return is_replaced or (bool(now) and all((each.value, each.negated) != (slot.value, slot.negated) for each in now))
