"""How much a fact matters, by rules that each say what they added.

Source: ../reference/memory-upgrade-spec.md, "Importance Heuristics"; design/mission.md, "Importance does not compound".
"""

import math
import re
from collections.abc import Collection, Mapping

from shared.contracts.parts import Importance

BASE = 0.3
ASKED = 0.5
LASTING = 0.3
ENTITIES = 0.2
SMALL_TALK = -0.1
SURE_METADATA = 0.6
MOST_REPEATS = 0.2
A_REPEAT = 0.05

ASKED_TAG = "asked_to_remember"
LASTING_TAGS = frozenset({"preference", "attribute", "relationship", "goal", "commitment"})
"""The kinds of facts that hold for longer than an event or a plan: preferences, commitments, goals, and who one is."""

KIND_TAGS = LASTING_TAGS | {"plan", "event", "correction", ASKED_TAG}
"""Tags that say what kind of statement a fact is, and nothing of its topic."""


class CaselessWords:
    """An expression in lower case that is looked for in a text of any case, in a third of the time that ignoring case takes."""

    def __init__(self, expression: str) -> None:
        self.ignoring_case = re.compile(expression, re.IGNORECASE)
        """What finds the same, in any text."""
        self._lower = re.compile(expression)

    def is_in(self, text: str) -> bool:
        """Whether the text has it."""
        if _OF_OTHER_CASE.search(text):
            return self.ignoring_case.search(text) is not None
        return self._lower.search(text.lower()) is not None


_OF_OTHER_CASE = re.compile("[\u0130\u0131\u017f\u212a]")
"""An i with its dot or without, the long s and the sign for kelvin: they match an i, s or k, and are none in lower case."""

_LASTING = CaselessWords(
    r"\b(?=\w)(?:(?:i|we|they|you|who|to|also|really|still) (?:love|like|enjoy|adore|hate|dislike|loathe|avoid)|(?:do(?:es)?"
    "(?: not|n['’]t)|can(?:not|['’]t)|never|no longer) (?:like|eat|drink|smoke|enjoy|tolerate|digest|wear)s?|favou?rites?"
    "|allergic|intolerant|vegan|vegetarian|diabetic|pregnant|married|divorced|retired|fan of|fond of|afraid of|(?:lives?"
    "|living|works?|working|grew up|was born) (?:in|at|as|for|near|on|with)|born (?:in|on)|birthday|anniversary|(?:first "
    r"|last |nick)?name is|is (?:called|named)|speaks? (?:[a-z]\w+)|always|never|usually|every (?:day|week|month|year)"
    "|promis(?:e|es|ed)|commit(?:s|ted)|vow(?:s|ed)|pledged?|swore|agreed to|goals?|dream(?:s|ed)? (?:is|of)|ambition"
    "|resolution|wants? to become|(?:saving|training|studying) for|aims? to|determined to|(?:my|our|his|her|their"
    r"|\w+['’]s) (?:wife|husband|partner|mother|father|mom|mum|dad|sister|brother|son|daughter|boss|dog|cat|friend|doctor"
    "|job|address|phone|number|e-?mail|diet|allerg(?:y|ies)|pronouns|time ?zone)|(?<!looks )(?<!feels )(?<!sounds )(?:loves"
    r"|likes|enjoys|adores|prefers?|hates|dislikes|loathes|avoids))\b"
)
_OF_THE_MOMENT = CaselessWords(
    r"\b(?:today|tonight|right now|at the moment|this (?:morning|afternoon|evening)"
    r"|rain(?:s|ing|y)?|snow(?:s|ing)?|sunny|cloudy|windy|weather)\b"
)
"""What passes, and the weather."""

_CHAT = re.compile(
    r"\W*(?:hi|hey|hello|good (?:morning|evening|night|afternoon)|thanks?|thank you|ok(?:ay)?|cool|nice|great|lol|haha+|bye"
    r"|see you|how are you|what['’]s up|nothing much|never mind|you['’]re welcome|no problem|sounds good|sure)\b",
    re.IGNORECASE,
)
_MOST_CHAT_WORDS = 6


def is_lasting(text: str, tags: Collection[str] = ()) -> bool:
    """True if an English text, or an extractor's tag, states a preference, a commitment, a goal, or who someone is.

    >>> is_lasting("Anna is allergic to nuts"), is_lasting("Anna went out"), is_lasting("Anna mag Tee", ["preference"])
    (True, False, True)
    """
    return not LASTING_TAGS.isdisjoint(tags) or _LASTING.is_in(text)


def is_small_talk(text: str) -> bool:
    """True if an English text is a greeting, a courtesy, about the weather, or true for today only, and states nothing lasting.

    >>> is_small_talk("Good morning, how are you?"), is_small_talk("I am tired today"), is_small_talk("Anna is a nurse")
    (True, True, False)
    """
    return not is_lasting(text) and _passes(text)


def _passes(text: str) -> bool:
    """True if a text that states nothing lasting is small talk."""
    is_chat = bool(_CHAT.match(text)) and len(text.split()) <= _MOST_CHAT_WORDS
    return is_chat or _OF_THE_MOMENT.is_in(text)


def judge(
    text: str,
    *,
    asked: bool = False,
    tags: Collection[str] = (),
    estimate: float | None = None,
    metadata_confidence: float = 0.0,
    has_metadata: bool = False,
) -> Importance:
    """The importance of a fact as it is told for the first time.

    value = clamp(base + 0.5 asked + 0.3 lasting + 0.2 entities - 0.1 small_talk, 0, 1). `asked` is also read from the tag
    `asked_to_remember`; `has_metadata` says that entities or tags were found in the text. Where an extractor gave an
    `estimate`, it is the base, and it has seen for itself whether the fact lasts or is small talk.

    >>> judge("Anna is allergic to nuts").value
    0.6
    >>> judge("Anna is allergic to nuts", asked=True).parts
    {'base': 0.3, 'asked': 0.5, 'lasting': 0.3}
    """
    parts = {"base": BASE if estimate is None else estimate}
    if asked or ASKED_TAG in tags:
        parts["asked"] = ASKED
    if estimate is None and is_lasting(text, tags):
        parts["lasting"] = LASTING
    elif estimate is None and _passes(text):
        parts["small_talk"] = SMALL_TALK
    return summed(parts | _of_metadata(metadata_confidence, has_metadata=has_metadata))


def merged(known: Mapping[str, float], new: Mapping[str, float], *, repeats: int) -> Importance:
    """The importance of a fact that was told again: for each rule the highest value that it ever gave, plus the repeats.

    It depends neither on the order of the tellings nor on how often it is computed. A fact counts as small talk only if it was
    small talk every time.
    """
    parts = {
        name: max(found.get(name, 0.0) for found in (known, new)) for name in (*known, *(n for n in new if n not in known))
    }
    parts.pop("repeats", None)
    return summed({name: added for name, added in parts.items() if added} | {"repeats": repeat_boost(repeats)})


def enriched(known: Mapping[str, float], *, metadata_confidence: float, has_metadata: bool, repeats: int) -> Importance:
    """The importance of a fact after more, or more certain, entities or tags were found in it."""
    found = _of_metadata(metadata_confidence, has_metadata=has_metadata)
    return merged(known, {**known, **found}, repeats=repeats)


def repeat_boost(repeats: int) -> float:
    """What repeats add: min(0.05 ln(1 + repeats), 0.2). Each adds less than the one before; from 54 on no more is added.

    >>> [repeat_boost(repeats) for repeats in (0, 1, 2, 10, 54, 1000)]
    [0.0, 0.035, 0.055, 0.12, 0.2, 0.2]
    """
    return round(min(A_REPEAT * math.log1p(max(repeats, 0)), MOST_REPEATS), 3)


def summed(parts: Mapping[str, float]) -> Importance:
    """An importance: the sum of the parts, clamped to [0, 1], with those parts that added something."""
    counted = {name: added for name, added in parts.items() if added or name == "base"}
    return Importance(value=round(min(max(math.fsum(counted.values()), 0.0), 1.0), 3), parts=counted)


def _of_metadata(confidence: float, *, has_metadata: bool) -> dict[str, float]:
    return {"entities": ENTITIES} if has_metadata and confidence >= SURE_METADATA else {}
