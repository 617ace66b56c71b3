"""Names of people, places and organisations by their capitals: fast, modest, and without a model.

Knows English sentence beginnings, titles and kin; of languages that write nouns with capitals it trusts none of them.
"""

import re

from shared.contracts.parts import Entity
from shared.language.text.calendar import MONTHS
from shared.language.text.noise import is_noise
from shared.language.text.phrasing import ENGLISH, STRESS

_CAPITAL = "A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ"
_WORD = rf"(?!I\b)[{_CAPITAL}][\w'’-]*"
_NAME = re.compile(  # begins with what it can begin with, so that `re` goes from capital to capital
    rf"[{_CAPITAL}](?<![\w@#./&'’-].)(?:(?<!I)|(?=\w))[\w'’-]*"
    rf"(?:(?=[ .])(?: (?:(?:of|the|de|la|le|van|von|der|den|da|di|del|al|bin) ){{0,2}}{_WORD}|\.[A-Z]\b\.?)){{0,4}}"
)
_ENDS = '.!?:;\n"“”«»(-*•'
_FOLLOWING = re.compile(
    r"(?:['’]s)? (?:is|was|has|had|will|would|can|said|says|told|asked|and [A-Z]|went|got|made|came|took"
    r"|[a-z]{3,}(?:[^s]s|ed))\b"
)
_NO_NAME = ("ing", "ly", "tion", "ness", "ment")
_TITLES = frozenset("mr mrs ms miss dr prof professor sir aunt uncle grandma grandpa captain doctor".split())  # noqa: SIM905
_KIN = frozenset(
    """wife husband partner boyfriend girlfriend mother father mom mum dad son daughter sister brother aunt uncle cousin friend
    colleague neighbor neighbour boss teacher niece nephew named called with met told asked mr mrs ms dr prof""".split()  # noqa: SIM905
)
_INSIDE = frozenset("in near around outside visit visited visiting".split())  # noqa: SIM905
_MOVED = frozenset("moved move moving flew fly flying trip travelled traveled went drove".split())  # noqa: SIM905
_FIRMS = frozenset(
    """inc ltd llc gmbh ag corp corporation company university college school hospital bank institute agency museum foundation
    ministry club fc airlines""".split()  # noqa: SIM905
)
_OWN = re.compile(r"['’]s?$")
_APOSTROPHE = re.compile("['’.]")
_BESIDE = 24
_MOST = 64
_SEVERAL = 3
_CERTAIN, _OPENING, _DOUBTFUL = 0.7, 0.5, 0.4
OPENERS = frozenset(
    """i ok okay yes no oh ah hi hey hello thanks thank please sorry well wow great good nice cool sure maybe let don can ps
        fyi btw lol english yeah yep yup nope aww awesome amazing congrats congratulations bye goodbye glad wish lately knowing
        wonderful cheers welcome everyone everything someone something nothing super gotta looks fri mon tue wed thu sat sun
        didn doesn isn wasn couldn wouldn won shouldn remember finding""".split()  # noqa: SIM905
)
"""Words that open a sentence with a capital and name nobody."""
_COMMON = ENGLISH | frozenset(MONTHS) | _TITLES | OPENERS


def find_names(text: str) -> list[Entity]:
    """The names of a text, in its order: capitalised words, at the start of a sentence only before a verb, and no common words.

    `person` behind a title or kin, `location` behind `in` and the like, `organization` by its last word, else `other`.

    >>> [(e.type, e.name) for e in find_names("My sister Anna moved to New York with Ben. It was cold in Rome.")]
    [('person', 'Anna'), ('location', 'New York'), ('person', 'Ben'), ('location', 'Rome')]
    """
    if text.isupper() or text.islower():
        return []
    found = [entity for match in _NAME.finditer(text) if (entity := _named(text, match.start(), match[0]))]
    if (
        len(found) >= _SEVERAL and 3 * sum(entity.name.count(" ") + 1 for entity in found) > text.count(" ") + 1
    ):  # German, a title
        found = [entity.model_copy(update={"confidence": min(entity.confidence, _DOUBTFUL)}) for entity in found]
    return found[:_MOST]


def _named(text: str, start: int, words: str) -> Entity | None:
    """The name among these capitalised words; None if they are common words."""
    opens = _opens(text, start)
    is_person = False
    while (first := words.partition(" ")[0]) and (plain := _plain(first)) in _COMMON:
        is_person, opens = plain in _TITLES, False
        start, words = start + len(first) + 1, words[len(first) + 1 :]
    if not words[:1].isupper() or words.lower() in STRESS:  # none left, `of the` before the next, or `Monday`
        return None
    owner = _OWN.sub("", words)
    if (
        opens
        and words == owner
        and " " not in words
        and (words.endswith(_NO_NAME) or not _FOLLOWING.match(text, start + len(words)))
    ):
        return None
    name = owner.rstrip(".'’-")
    if len(name) < 2 or is_noise(name):  # noqa: PLR2004 - a single letter
        return None
    kind = "person" if is_person else _kind(name, text[max(0, start - _BESIDE) : start])
    confidence = _OPENING if opens and kind == "other" else _CERTAIN
    return Entity(name=name, type=kind, start=start, end=start + len(name), confidence=confidence)


def _opens(text: str, start: int) -> bool:
    """True if a sentence, a quotation or a list item begins at `start`; not after `Dr.`."""
    if start < 2 or text[start - 1] in _ENDS:  # noqa: PLR2004 - a mark and a space
        return True
    return text[start - 2] in _ENDS and _plain(text[max(0, start - _BESIDE) : start - 1].rpartition(" ")[2]) not in _TITLES


def _kind(name: str, before: str) -> str:
    if name.rpartition(" ")[2].lower() in _FIRMS:
        return "organization"
    beside = before.lower().rsplit(None, 2)
    last = beside[-1] if beside else ""
    if last.rstrip(".,") in _KIN:
        return "person"
    is_place = last in _INSIDE or (last == "to" and len(beside) > 1 and beside[-2] in _MOVED)
    return "location" if is_place else "other"


def _plain(word: str) -> str:
    """The word in lower case, up to an apostrophe or full stop."""
    return word.lower() if word.isalpha() else _APOSTROPHE.split(word, 1)[0].lower()
