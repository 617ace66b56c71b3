"""A text in clauses: lower case, contractions written out, quotations left out, the person's own name made `I`."""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from shared.language.statements.old.language import StatementLanguage, language_of
from shared.language.statements.old.notation import expression
from shared.language.statements.old.spelling import spelled
from shared.language.statements.old.subjects import thing_of
from shared.language.text.cleaning import clean

LONGEST_CHARACTERS = 400
"""A longer sentence is not read."""

_LINE = re.compile(r"(?:(?<![.!?,;:\s])|(?<=[.!?,;:]\s))\s*?\n\s*+")
_QUOTED = re.compile(r"\"[^\"]*(?:\"|$)|(?<!\w)'(?=\w)(?:[^']|'(?=\w)){1,2000}+'(?!\w)|`[^`]*(?:`|$)|«[^»]*»?")
_SUNG = re.compile("[\u266a-\u266f\U0001f3b5\U0001f3b6]")
_EMOJI = re.compile("[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]+")
_CAPITAL = re.compile(r"(?<=[^\W\d_] |[,\d] )[A-ZÄÖÜÉÈÁÍÓÚÑÇ][\w'-]*")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|;\s+|(?<!\s)\s++-++\s++|\.{2,}\s*")
_ISO = re.compile(r"\(?(\d{4}-\d\d(?:-\d\d)?)\)?(?![\d-])")
_ASIDE = re.compile(r"\([^)]{0,1000}+\)")
_WORD = re.compile(r"(?:[^\s,:]|(?<=[^\s,:]):(?=[^\s,:])|(?<=\d),(?=\d))+|[,:]")
_AT_MOST_LABEL = 5
_SHORTEST_FRAGMENT = 3


@dataclass(frozen=True, slots=True)
class Clause:
    """Words of a sentence that may have a subject and a predicate of their own."""

    words: tuple[str, ...]
    begins_sentence: bool


@dataclass(frozen=True, slots=True)
class Said:
    """A text, ready to be read."""

    language: StatementLanguage
    clauses: tuple[Clause, ...]
    capitals: frozenset[str] = field(default_factory=frozenset)
    """Words that are written with a capital and do not open a sentence, in lower case."""
    dates: tuple[str, ...] = ()
    firsts: frozenset[str] = frozenset()
    """The words with which clauses begin."""


def said(text: str, names: tuple[str, ...]) -> Said:
    """The clauses of what a text states; questions state nothing."""
    plain = _QUOTED.sub(" ", clean(_LINE.sub(". ", text.strip())).text)
    if _SUNG.search(plain):
        plain = ""
    plain = _EMOJI.sub(". ", plain)
    capitals = frozenset(word.lower().removesuffix("'s") for word in _CAPITAL.findall(plain))
    lower = plain.lower()
    language = language_of(set(re.findall(r"[^\W\d_]+", lower)))
    lower = _abbreviated(language).sub(r"\1 ", lower)
    dates = tuple(_ISO.findall(lower))
    found: list[Clause] = []
    for sentence in _SENTENCE.split(_renamed(_ASIDE.sub(_date_only, lower), names, language)):
        if sentence and "?" not in sentence and len(sentence) <= LONGEST_CHARACTERS:
            found.extend(_clauses(sentence, language))
    return Said(language, tuple(found), capitals, dates, frozenset(clause.words[0] for clause in found))


def _date_only(aside: re.Match[str]) -> str:
    return aside[0].strip("()") if _ISO.fullmatch(aside[0]) else ","


@functools.cache
def _abbreviated(language: StatementLanguage) -> re.Pattern[str]:
    day = rf"\d{{1,2}}(?=\. (?:{'|'.join(language.months)}))"
    return re.compile(rf"\b({'|'.join([*language.tables.abbreviations, day])})\. ")


@functools.lru_cache(maxsize=256)
def _user(names: tuple[str, ...], language: StatementLanguage) -> re.Pattern[str]:
    firsts = [name.split()[0] for name in names if name]
    known = sorted({*names, *firsts, *language.tables.user}, key=len, reverse=True)
    others = "|".join(language.tables.others) or "(?!)"
    options = "|".join(_option(name, language) for name in known if name)
    return re.compile(rf"(?<![\w'])(?:{options})(?P<owns>'s)?(?:\s+(?:{others}))?(?![\w'])")


def _option(name: str, language: StatementLanguage) -> str:
    """A name of the user; `user` alone is one where a sentence begins, and elsewhere a Windows user."""
    is_word = name in language.tables.user and name.isalpha()
    return rf"(?:^|(?<=[.!?,:] )){name}" if is_word else re.escape(name)


def _renamed(text: str, names: tuple[str, ...], language: StatementLanguage) -> str:
    """The user's names made `I` and `my`, and in such a text the pronouns that mean them too."""
    tables = language.tables
    renamed, count = _user(names, language).subn(lambda found: tables.my[0] if found["owns"] else tables.me[0], text)
    if not count:
        return text
    return re.sub(r"[^\W_]+", lambda found: tables.theirs.get(found[0], found[0]), renamed)


def _clauses(sentence: str, language: StatementLanguage) -> Iterator[Clause]:
    words = language.idioms.plainer(spelled(_WORD.findall(sentence), language))
    words = _labelled(words, language)
    if not words or asks_something(words, language):
        return
    is_first = True
    start = 0
    for place, word in enumerate([*words, ""]):
        if place == len(words) or (place > start and _parts(words, place, language)):
            part = tuple(words[start:place])
            while part and part[-1] in language.joints:
                part = part[:-1]
            while part and part[0] in language.joints:
                part = part[1:]
            if part:
                part = _turned(part, language)
                yield Clause(part, is_first)
                is_first = False
            start = place + (word == ",")


def _turned(words: tuple[str, ...], language: StatementLanguage) -> tuple[str, ...]:
    """`my favourite colour is blue` for `blue is my favourite colour`, and the user first: `ich mache Yoga nicht mehr`."""
    tables = language.tables
    for place in range(1, min(len(words) - 1, _AT_MOST_LABEL)):
        named = place + 1
        while named < len(words) and words[named] in language.denials:  # `Petra ist nicht mehr meine Chefin`
            named += 1
        is_about_mine = words[place] == tables.be and named + 1 < len(words) and words[named] in tables.my
        if is_about_mine and words[0] not in language.pronouns and words[0] not in language.vague:
            return (*words[named:], tables.be, *words[place + 1 : named], *words[:place])
        if tables.inverts and words[place] in language.heads and words[place + 1] in tables.me:  # `Yoga mache ich nicht mehr`
            return (words[place + 1], words[place], *words[:place], *words[place + 2 :])
    return words


def asks_something(words: Sequence[str], language: StatementLanguage) -> bool:
    """True if words begin as a question does."""
    return bool(_asking(language).match(" ".join(words[:3])))


@functools.cache
def _asking(language: StatementLanguage) -> re.Pattern[str]:
    options = "|".join(expression(each, language.parts) for each in language.tables.asks)
    return re.compile(rf"(?:{options or '(?!)'})(?= |$)")


def _labelled(words: list[str], language: StatementLanguage) -> list[str]:
    """A colon is read as `is` behind a thing that has a value, and as a comma otherwise."""
    if ":" not in words:
        return words
    place = words.index(":")
    rest = [word for word in words[place + 1 :] if word != ":"]
    for start in range(max(0, place - 3), place):
        named = thing_of(words[start:place], language)
        if named and "," not in words[start:place] and words[start] not in language.tables.traits:
            before = words[:start]
            is_owner = place <= _AT_MOST_LABEL and "," not in before and language.heads.isdisjoint(before)
            owner = before if is_owner else [*before, ",", language.tables.my[0]]
            return [*owner, *words[start:place], language.tables.be, *rest]
    return [*words[:place], ",", *rest]


def _parts(words: Sequence[str], place: int, language: StatementLanguage) -> bool:
    """Whether a clause begins here: at a word that leans on another, or behind a comma or joint before a subject or verb."""
    word = words[place]
    if word in language.breaks:
        return words[place + 1 : place + 2] not in (["a"], ["per"])  # `once a week`
    if word == ",":
        behind = words[place + 1 :]
        return _opens(words, place + 1, language) or _is_fragment(words[:place], language) or _denies_itself(behind, language)
    if _goes_on(words, place, language):
        return True
    is_pair = place == 2 and words[0] in language.tables.me  # noqa: PLR2004 - `me and Tash`
    return not is_pair and words[place - 1] in language.tables.joints and _opens(words, place, language)


def _goes_on(words: Sequence[str], place: int, language: StatementLanguage) -> bool:
    """Whether a clause with a subject begins without a comma: `I moved out I am in Leeds`, `since May I sleep badly`."""
    is_subject = words[place] in language.tables.me and place + 1 < len(words) and words[place + 1] in language.heads
    if not is_subject:
        return False
    leads = words[0] in language.breaks and language.heads.isdisjoint(words[1:place])
    before = words[place - 1]
    return (
        before in language.tables.after_which
        or before.isdigit()
        or bool(_ISO.fullmatch(before))
        or (leads and before not in language.breaks)
    )


def _is_fragment(words: Sequence[str], language: StatementLanguage) -> bool:
    """Whether words stand for themselves without a verb: `new number 0123, ...`, but not `not Leeds, ...`."""
    is_long = len(words) >= _SHORTEST_FRAGMENT
    return is_long and language.heads.isdisjoint(words) and not set(language.tables.denies) & set(words)


def _denies_itself(words: Sequence[str], language: StatementLanguage) -> bool:
    """Whether words have a denial of their own: `ging nicht ohne`, but not `not Leeds`."""
    own = words[: words.index(",")] if "," in words else words
    return not set(language.tables.denies).isdisjoint(own[1:])


def _opens(words: Sequence[str], place: int, language: StatementLanguage) -> bool:
    if place >= len(words):
        return True
    word = words[place]
    if word in language.articles and word not in language.openers:
        return place + 1 < len(words) and words[place + 1] in language.kin
    if word in language.openers or word in language.heads:
        return True
    return place + 1 < len(words) and (words[place + 1] in language.heads or word.endswith("'s"))
