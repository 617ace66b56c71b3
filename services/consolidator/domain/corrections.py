"""Corrections inside a conversation: "no, it's Thursday not Tuesday", "no wait, York", "scratch that, it's 9:30".

What was said before is changed in the speaker's own words, value by value, so that the rest of it stays.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from services.consolidator.domain.language import ENGLISH, LearningLanguage
from services.consolidator.domain.sentences import cleaned
from shared.language.statements.attributes import ValueKind, attribute
from shared.language.statements.language import CODES, statement_language
from shared.language.statements.reading import read_slots
from shared.language.statements.slots import ReadSlot
from shared.language.text.calendar import MONTH, ORDINAL
from shared.language.text.grammar import is_past
from shared.language.text.languages import STOP_WORDS
from shared.language.text.phrasing import NEGATIONS
from shared.language.text.spelling import spelled

_WORDS = r"[\w:'-]+(?:\.\d+)?(?: [\w:'-]+(?:\.\d+)?){0,2}?"
_AT = "(?:on |in |at |am |um |el |la |le |à |a |en )?"
_NEW = rf"{_AT}(?P<new>{_WORDS})"
_OLD = rf"{_AT}(?P<old>{_WORDS})"
_NOT = "(?:not|nicht|no|pas)"
_HELPS = "(?:do|does|did|am|is|are|was|were|have|has|had|can|could|will|would)"
_IT_IS = r"(?:(?:it|that|they|he|she|es|c|ce)?(?:'s| is| are| ist| est)? |its |es |son )?"
_SHORT_IS = r"(?:it|he|she|they)(?:'s|'re|'ll be| is| are| was| will be| should be) "
_OF_A_THING = r"(?:the|my|our|die|der|das|el|la|le|mein|meine|mi|mon|ma) [\w -]{2,30}?"
_OF_WHICH = r"(?: (?:that |which )?(?:I|we) (?:[\w']+ ){0,3}[\w']+)?"
"""How a sentence goes on that puts what is right first: `it's gluten I can't have`."""
_IS_THIS = (
    rf"(?:I mean(?:t)? |correction:? |make (?:that|it) )?{_IT_IS}{_NEW}{_OF_WHICH}(?: by the way| actually| though|,)*"
    rf"(?: (?:and )?not|(?:,| und| y| et) {_NOT}) {_OLD}"
)
"""In English a bare `not` puts right; elsewhere it denies its verb, unless it stands apart: `Anna no come carne`."""
_LONG_NEW = r"(?P<new>[\w:'-]+(?: [\w:'-]+){0,3})"
_PATTERNS = tuple(
    re.compile(rf"^{pattern}$", re.IGNORECASE)
    for pattern in (
        _IS_THIS,
        rf"{_IT_IS}(?P<new>[£$€]?\d[\w.:,]*+),? not (?P<old>[£$€]?\d[\w.:,]*+)(?: .*)?",
        rf"(?:{_OF_A_THING}|it|das|es|c|ce)?(?: (?:is|are|ist|est)|'est|es|son) {_NEW},? {_NOT} {_OLD}",
        (
            rf"(?:also |and )?I (?:said|wrote|put|told you|typed) {_OLD}(?: earlier| before)?,? (?:but|actually|and)"
            rf"(?: [\w' ]{{2,25}}?,?)? {_SHORT_IS}{_NEW}"
        ),
        rf"[\w'-]+(?: [\w'-]+)? (?:isn't|is not|aren't|are not|wasn't) {_OLD},? (?:but|{_SHORT_IS}) ?{_LONG_NEW}",
        r"(?:no,? )?not (?P<old>(?:an?|the) [\w-]+),? (?:but )?(?P<new>(?:an?|the) [\w-]+)",
        rf"(?:(?:it|that)(?:'s| is) )?not {_OLD},? (?:but )?(?:{_SHORT_IS})?{_NEW}{_OF_WHICH}",
        rf"(?:nicht|no(?: es)?|pas) {_OLD},? (?:sondern|sino|mais) {_NEW}",
    )
)
_WRONG_BEHIND = re.compile(rf"^(?P<right>{_OF_A_THING} (?:is|are|'s|ist|es|est) {_WORDS}),? {_NOT} {_WORDS}$", re.IGNORECASE)
_WRONG_FIRST = re.compile(rf"^not {_OLD},? (?:but )?(?:it's|it is|its) {_NEW} (?:that )?(?P<frame>(?:I|we) .+)$", re.IGNORECASE)
_HEDGED = re.compile(r"^(?:well|eh|um|er|hm+),? ", re.IGNORECASE)
_WORD = re.compile(r"[\w'@.:€$£-]*\w")
_LONGEST_FRAGMENT = 4
_NAME = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
_NAME_ALONE = re.compile(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
_LONGEST_FRAME = 8
_MOST_DIFFERING = 2
"""Most words on end that a correction replaces within its frame."""
_NEAR = 2
"""How many statements back a name may be put right."""
_TIMES = 2
"""So many classes come first that are nothing but times."""
_RANGE = re.compile(r"\b(?:from|von|de)\b.*\b(?:to|auf|a|à)\b", re.IGNORECASE)


class Correction(NamedTuple):
    """The right words, and the wrong ones that they replace."""

    new: str
    old: str

    def applied(self, earlier: str) -> str | None:
        """The earlier statement with the correction applied; None unless it has the wrong words exactly once."""
        new = self.new
        while " " in new and re.search(
            rf"\b{re.escape(self.old)} {re.escape(new.rpartition(' ')[2])}\b", earlier, re.IGNORECASE
        ):
            new = new.rpartition(" ")[0]  # `35 quid` for `30` in `30 quid`
        return _replaced(earlier, self.old, new)


def correction(sentence: str) -> Correction | None:
    """The correction that a cleaned statement is, naming both; None if it is more or something else.

    >>> correction("it's Thursday not Tuesday")
    Correction(new='Thursday', old='Tuesday')
    """
    told = _HEDGED.sub("", sentence)
    for words in dict.fromkeys((told, told.rpartition(", ")[0], told.partition(", ")[0])):
        for pattern in _PATTERNS:
            if (match := pattern.match(words.lstrip("*"))) and not _denies(match["new"]):
                return Correction(match["new"], match["old"])
    return None


def _denies(words: str) -> bool:
    """True if the words before a denial are its subject and verb, or deny too: `I was not`, `no, no tengo` right nothing."""
    told = set(words.lower().replace("'", " ").split())
    return bool(re.search(rf"\w {_HELPS}$", words, re.IGNORECASE) or told <= NEGATIONS) or any(
        not told.isdisjoint((*tables.me, *tables.present)) for tables in (statement_language(code).tables for code in CODES)
    )


def named_alone(sentence: str) -> str | None:
    """What a correction says that names its own subject, without the wrong value or before it; None if it names none.

    >>> named_alone("The physio is 5.45, not 5.15"), named_alone("it's Thursday not Tuesday")
    ('The physio is 5.45', None)
    >>> named_alone("not lactose, it's gluten I can't have")
    "I can't have gluten, not lactose"
    """
    if found := _WRONG_FIRST.match(sentence):
        return f"{found['frame']} {found['new']}, not {found['old']}"
    found = _WRONG_BEHIND.match(sentence)
    return found["right"] if found else None


class Retraction(NamedTuple):
    """How a sentence takes back what was said, and what it says instead."""

    cue: str
    rest: str
    is_plain: bool
    """Whether the cue is a mere no, which may as well answer a question."""
    drops: bool
    """Whether what was said falls, whatever is said instead: `scratch that`."""


def retraction(raw: str, language: LearningLanguage) -> Retraction | None:
    """The retraction that a sentence begins or ends with; a star before a few words is one: `*Leo`."""
    is_starred = raw.startswith("*") or (raw.endswith("*") and len(raw.split()) <= _LONGEST_FRAGMENT)
    if is_starred and len(raw.split()) <= _LONGEST_FRAME:
        return Retraction("*", _bare(raw.strip("*"), language), is_plain=False, drops=False)
    if found := language.retracts.match(raw):
        cue, rest = raw[: found.end()], raw[found.end() :]
        if _SHORT_ANSWER.fullmatch(rest.strip(" ,.:;!–—-")):
            return None
        is_plain = cue.strip(" ,.:;!–—-").lower() in _PLAIN
        if is_plain and cue.strip() == cue.strip(" ,.:;!–—-") and rest and cue.strip().lower() not in _LOOSE:
            return None  # `no hazelnuts` takes nothing back
        return Retraction(cue, _bare(rest, language), is_plain, bool(language.drops.match(raw)))
    found = language.retracts_late.search(raw)
    if found and (found.end() == len(raw) or len(raw[: found.start()].split()) <= _LONGEST_FRAGMENT):
        return Retraction(found[0].strip(" ,.-–"), _bare(raw[: found.start()], language), is_plain=False, drops=False)
    return None


def bare_value(raw: str, language: LearningLanguage) -> Retraction | None:
    """What puts a value right by nothing but the right one, and what is said about it: `13th!`, `lol 6th, still counting`."""
    value = _ABOUT_VALUE.split(_BEFORE_VALUE.sub("", raw), maxsplit=1)[0].strip(" *")
    is_value = any(pattern.fullmatch(value) for pattern in language.classes) or bool(_DATE.fullmatch(value))
    return Retraction("", value, is_plain=True, drops=False) if is_value else None


_BEFORE_VALUE = re.compile(r"(?:(?:oh|lol|omg|haha|um|er|erm|hmm|ah|eh|well|ok|and|at|on|in)\b[,\s]*)+", re.IGNORECASE)
_ABOUT_VALUE = re.compile(r"[,;!–-]| (?:lol|haha|still|i|sorry|oops)\b|\.(?!\d)", re.IGNORECASE)
_DATE = re.compile(rf"{MONTH} \d{{1,2}}{ORDINAL}?|\d{{1,2}}{ORDINAL}? (?:of )?{MONTH}", re.IGNORECASE)
_SHORT_ANSWER = re.compile(rf"(?:I|we|he|she|it|they) {_HELPS}(?:n't| not)?", re.IGNORECASE)
"""`No, I didn't` answers, and takes nothing back."""
_LOOSE = frozenset({"actually", "enfin"})
_PLAIN = frozenset(
    {"no", "nope", "nah", "nein", "nee", "ne", "non", "actually", "enfin", "better", "rather", "plutôt", "falsch"}
)


def _bare(words: str, language: LearningLanguage) -> str:
    found = language.retracts_late.search(words)
    bare = (words[: found.start()] if found else words).strip(" ,.:;!-–—")
    return spelled(bare) if language.code == ENGLISH else bare


def amended(earlier: Sequence[str], change: Retraction, language: LearningLanguage, *, near: int) -> tuple[int, str] | None:
    """Which of the earlier statements, the last first, a retraction puts right, and its words then; None where none.

    The first few are near; one that was said before them must share a word with it: `ten weeks` with `it's eleven weeks`.
    """
    for place, words in enumerate(earlier):
        if place >= near and not _shares(words, change.rest, language):
            continue
        plain = _CLEFT.sub(lambda found: f"{found['frame']} {found['what']}", change.rest)
        for rest in tuple(dict.fromkeys((plain, change.rest, change.rest.partition(",")[0]))):
            if changed := _by_class(words, rest, language) or _by_frame(words, rest):
                return place, changed
    if any(pattern.search(change.rest) for pattern in language.classes[:_TIMES]):
        return None
    for place, words in enumerate(earlier[:_NEAR]):
        if changed := _by_slot(words, change, language):
            return place, changed
        if change.is_plain:
            continue
        if changed := _by_fragment(words, change.rest, language) or _by_name(words, change.rest, language):
            return place, changed
    return None


_CLEFT = re.compile(
    r"(?:it's|it is|it was|its) (?P<what>[\w -]{2,40}?) (?:that |which |who )?(?P<frame>(?:I|we) [^,]{2,60})(?:,.*)?$"
)


def _shares(earlier: str, rest: str, language: LearningLanguage) -> bool:
    known = {word.lower() for word in _WORD.findall(earlier)} - language.hollow - STOP_WORDS[language.code]
    plain = [word for word in known if not any(each.fullmatch(word) for each in language.classes)]
    return not {word.lower() for word in _WORD.findall(rest)}.isdisjoint(plain)


def _by_frame(earlier: str, rest: str) -> str | None:
    """The statement with the words that differ where the rest of what is said instead is in it, in the same order.

    >>> _by_frame("The party is at Tom's place", "at Jim's place")
    "The party is at Jim's place"
    """
    said, told = list(_WORD.finditer(earlier)), _WORD.findall(rest)
    found = []
    for start in range(len(said) - len(told) + 1):
        window = said[start : start + len(told)]
        differ = [place for place, word in enumerate(window) if word[0].lower() != told[place].lower()]
        if not _is_frame(told, differ):
            continue
        if differ and len(differ) < len(told) and differ[-1] - differ[0] < min(len(differ), _MOST_DIFFERING + 1):
            found.append((window[differ[0]].start(), window[differ[-1]].end(), " ".join(told[differ[0] : differ[-1] + 1])))
    if len(found) != 1 or len(told) > _LONGEST_FRAME:
        return None
    start, end, right = found[0]
    return f"{earlier[:start]}{right}{earlier[end:]}"


def _is_frame(told: Sequence[str], differ: Sequence[int]) -> bool:
    """Whether the words that stay say something, and none of those that change is a mere `for`."""
    empty = {place for place, word in enumerate(told) if word.lower() in STOP_WORDS[ENGLISH]}
    return not empty.issuperset(set(range(len(told))) - set(differ)) and empty.isdisjoint(differ)


def _by_class(earlier: str, rest: str, language: LearningLanguage) -> str | None:
    """A weekday takes the place of a weekday, a time of a time; nothing else may be new in what is said instead."""
    told = rest
    changed = earlier
    for pattern in language.classes:
        new = [found[0] for found in pattern.finditer(told)]
        if not new:
            continue
        told = pattern.sub(" ", told)
        changed = _classed(changed, pattern, new) or changed
    if changed == earlier:
        return None
    known = {word.lower() for word in _WORD.findall(earlier)}
    left = {word.lower() for word in _WORD.findall(told)} - language.hollow - known
    return None if left else changed


def _classed(earlier: str, pattern: re.Pattern[str], new: Sequence[str]) -> str | None:
    """The statement with its values of a class replaced: all of them, or the one that there is."""
    places = list(pattern.finditer(earlier))
    if len(new) == 1 and len(places) > 1 and _RANGE.search(earlier):
        places = places[-1:]  # `from 1400 to 1750` ends at the value that is put right
    if len(places) != len(new):
        return None
    for place, value in reversed(list(zip(places, new, strict=True))):
        earlier = f"{earlier[: place.start()]}{value.strip()}{earlier[place.end() :]}"
    return earlier


def _by_slot(earlier: str, change: Retraction, language: LearningLanguage) -> str | None:
    """The value of a slot that reads otherwise once both are read together; or the new words, where they say it all anew."""
    before = _told(earlier)
    anew = _told(change.rest)
    if before and {_key(slot) for slot in before} <= {_key(slot) for slot in anew}:
        return cleaned(change.rest, language)
    changes = list(_changed(before, _told(f"{earlier}. {change.cue.rstrip(' .,:;!')}, {change.rest}")))
    if language.people.match(change.rest):  # what he or she is, is no name
        changes = [(old, new) for old, new in changes if attribute(old.attribute).kind is not ValueKind.NAME]
    if len(changes) != 1:
        return None
    [(old, new)] = changes
    value = new.value or ""
    place = change.rest.lower().find(value)
    right = change.rest[place : place + len(value)] if place >= 0 else None
    return _replaced(earlier, old.value or "", right) if right else None


def _told(words: str) -> list[ReadSlot]:
    return [slot for slot in read_slots(words) if not slot.is_generic]


def _key(slot: ReadSlot) -> tuple[str, str]:
    return slot.subject, slot.attribute


def _changed(before: Sequence[ReadSlot], after: Sequence[ReadSlot]) -> Iterator[tuple[ReadSlot, ReadSlot]]:
    for old in before:
        for new in after:
            is_changed = _key(old) == _key(new) and old.value != new.value and old not in after
            if is_changed and old.value and new.value and not new.negated and _are_alike(old.value, new.value):
                yield old, new


def _by_fragment(earlier: str, rest: str, language: LearningLanguage) -> str | None:
    """A few words without a verb take the place of the only value that was stated."""
    words = _WORD.findall(rest)
    if any(map(is_past, words)) or language.people.match(rest) or language.evades.match(rest) or _told(rest):
        return None
    while words and words[0].lower() in language.hollow:
        words = words[1:]
    values = {slot.value for slot in _told(earlier) if slot.value and slot.value in earlier.lower()}
    if not words or len(words) > _LONGEST_FRAGMENT or len(values) != 1:
        return None
    value, new = values.pop(), " ".join(words)
    is_part = len(value.split()) > len(words) + 1  # `shop at tesco` is not `asda`
    return _replaced(earlier, value, new) if _are_alike(value, new) and not is_part else None


def _are_alike(value: str, new: str) -> bool:
    """Whether both are numbers, or neither is."""
    return any(map(str.isdigit, value)) == any(map(str.isdigit, new))


def _by_name(earlier: str, rest: str, language: LearningLanguage) -> str | None:
    """A name takes the place of the only name that was said."""
    names = [found for found in _NAME.finditer(earlier) if not any(kind.fullmatch(found[0]) for kind in language.classes)]
    if len(names) != 1 or not _NAME_ALONE.fullmatch(rest):
        return None
    return f"{earlier[: names[0].start()]}{rest}{earlier[names[0].end() :]}"


def _replaced(earlier: str, old: str, new: str) -> str | None:
    def in_its_case(wrong: re.Match[str]) -> str:
        """The right words in the case of the wrong ones: a capital at the start of a sentence may be due to its place."""
        return new[0].lower() + new[1:] if wrong[0][0].islower() else new

    changed, count = re.subn(rf"(?<!\w){re.escape(old)}(?!\w)", in_its_case, earlier, flags=re.IGNORECASE)
    return changed if count == 1 else None
