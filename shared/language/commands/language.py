"""`[commands]` of a language's file, checked and made ready.

A shipped one is part of the program, read once like a module. An operator's own file has `[commands]` and no other part, and is
taken in once, before anything is read. Its tables are the fields of `language_text.py`; phrases are written as in `phrases.py`.
"""

import re
import tomllib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from pydantic import ValidationError

from shared.contracts.errors import Misconfigured
from shared.domain.made_once import made_once
from shared.language.commands import phrases
from shared.language.commands.command import ChatCommandName
from shared.language.commands.language_text import LanguageText, RuleText
from shared.language.commands.slips import Slips
from shared.language.tables import Section, table
from shared.language.text.frequency import rank_of

SHIPPED_LANGUAGES = ("en", "de", "es", "fr")
"""The codes of the languages whose files have `[commands]` and `[wishes]`."""
NAME = "@name"
"""In `begins`, stands for any word that is written like a name."""

_CODE = re.compile(r"[a-z]{2,3}")
_CAPTURE = re.compile(r"\(\?P<\w+>")
_BEGIN = r"(?:^|(?<= ))"


Cues = Mapping[str, tuple[frozenset[str], ...]]
"""The rarest words of phrases, each with sets of words of which one is in every phrase that has it."""


@dataclass(frozen=True)
class PhraseRule:
    """One phrase of a rule, ready to match."""

    text: RuleText
    phrase: phrases.Phrase
    capture: str | None
    """Name of what the phrase captures: `topic` or `fact`."""
    needs: tuple[frozenset[str], ...]
    """Words, one of each of which is in every match."""

    def may_be_in(self, words: AbstractSet[str]) -> bool:
        """True if a sentence of these words may be this phrase."""
        return not any(need.isdisjoint(words) for need in self.needs)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The regular expression, made at first use: most are never used, and making all would take a second."""
        return re.compile(phrases.expression(self.phrase))


@dataclass(frozen=True, slots=True)
class Opener:
    """The phrases of an opener that begin with the same word, ready to match."""

    pattern: re.Pattern[str]
    weight: float
    requests: bool
    greets: bool


@dataclass(frozen=True, slots=True)
class Language:
    """A language file, ready to read with."""

    code: str
    text: LanguageText
    rules: dict[str, tuple[PhraseRule, ...]]
    """Phrases by their first word, the most confident first."""
    answers: dict[str, tuple[PhraseRule, ...]]
    taking_back: dict[str, tuple[PhraseRule, ...]]
    """What takes back a forgetting right after it, by first word."""
    openers: dict[str, tuple[Opener, ...]]
    """Openers by their first word."""
    at_once: re.Pattern[str]
    at_once_last: re.Pattern[str]
    for_good: re.Pattern[str]
    polite: re.Pattern[str]
    closers: tuple[str, ...]
    fact_closers: tuple[str, ...]
    request_closers: tuple[str, ...]
    blockers: re.Pattern[str]
    announcements: re.Pattern[str]
    attributions: re.Pattern[str]
    signatures: re.Pattern[str]
    retractions: re.Pattern[str]
    cues: Cues
    """Of all commands."""
    questions: Cues
    """Of questions about what is remembered."""
    slips: Slips
    breaks: frozenset[str]
    """Words before which a command without a topic may end, although its clause goes on."""
    topic_breaks: frozenset[str]

    def may_be_read(self, words: frozenset[str]) -> bool:
        """True if a text of these words, or more, may hold a command. Fast, and never false for one that does."""
        return _may_be(self.cues, self._meant(words))

    def may_ask(self, words: frozenset[str]) -> bool:
        """True if a text of these words, or more, may ask what is remembered. Fast, and never false for one that does."""
        return _may_be(self.questions, self._meant(words))

    def meant(self, word: str) -> str:
        """Return the words that a short spelling or a slip means; else the word."""
        return self.text.spellings.get(word) or self.slips.meant(word) or word

    def _meant(self, words: frozenset[str]) -> frozenset[str]:
        spelled = self.text.spellings.keys() & words
        meant = self.slips.all_meant(words)
        return meant.union(*(self.text.spellings[word].split() for word in spelled)) if spelled else meant


_own: dict[str, Language] = {}


def take_in(code: str, document: str) -> None:
    """Use this document for the language of this code from now on. Raises Misconfigured, naming what is wrong."""
    if not _CODE.fullmatch(code):
        raise Misconfigured(f"a language file is named after its language, such as fr.toml; {code!r} is none")
    _own[code] = make(code, document)


def language(code: str) -> Language:
    """The language of this code. Raises Misconfigured if it has no file, or an invalid one."""
    return _own.get(code) or _shipped(code)


def require_language(code: str) -> None:
    """Check that there is a language of this code. A shipped one is read when it is first needed. Raises Misconfigured."""
    if code not in _own:
        _require_shipped(code)


@made_once
def _shipped(code: str) -> Language:
    _require_shipped(code)
    return _made(code, table(code, LanguageText))


def _require_shipped(code: str) -> None:
    """Check that commands of this language are shipped. Raises Misconfigured."""
    if code not in SHIPPED_LANGUAGES:
        raise Misconfigured(f"there is no language file with commands for {code!r}")


def make(code: str, document: str) -> Language:
    """A language from a document with its `[commands]`. Raises Misconfigured, naming what is wrong."""
    try:
        return _made(code, _Document.model_validate(tomllib.loads(document)).commands)
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise Misconfigured(f"the language file {code}.toml cannot be used: {error}") from error


class _Document(Section):
    commands: LanguageText


def _made(code: str, text: LanguageText) -> Language:
    rules, answers, taking_back = (_parsed(some, text) for some in (text.rules, text.answers, text.taking_back))
    every = [*rules, *answers, *taking_back]
    for rule, parsed in every:
        _check(rule, parsed)
    found = Language(
        code=code,
        text=text,
        rules=_by_first_word(rules),
        answers=_by_first_word([*answers, *(rule for rule in rules if rule[0].name in _ANSWERS)]),
        taking_back=_by_first_word(taking_back),
        openers=_openers(text),
        at_once=_pattern(text.at_once, text, begin=_BEGIN),
        at_once_last=_pattern(text.at_once_last, text, begin=_BEGIN),
        for_good=_pattern(text.for_good, text, begin=_BEGIN),
        polite=_pattern(text.polite, text, begin=_BEGIN),
        closers=_closers((*text.closers, *text.request_closers, *text.last_closers, *text.at_once, *text.at_once_last)),
        fact_closers=_closers((*text.closers, *text.request_closers)),
        request_closers=_closers(text.request_closers),
        blockers=_pattern(text.blockers, text, begin=_BEGIN),
        announcements=_pattern(text.announcements, text, begin=_BEGIN),
        attributions=_pattern(text.attributions, text),
        signatures=_pattern(text.signatures, text),
        retractions=_pattern(text.retractions, text),
        cues=_cues(rules),
        questions=_cues([rule for rule in rules if rule[0].name is ChatCommandName.ASK_ABOUT]),
        slips=Slips({word for _, parsed in every for word in phrases.words(parsed)}),
        breaks=text.joints | text.reasons | text.conditions | {","},
        topic_breaks=text.reasons | {",", ":"},
    )
    _check_use(text)
    return found


_ANSWERS = frozenset((ChatCommandName.CONFIRM, ChatCommandName.DECLINE))
_Parsed = tuple[RuleText, phrases.Phrase]


def _parsed(rules: tuple[RuleText, ...], text: LanguageText) -> list[_Parsed]:
    return [(_with_lists(rule, text), phrases.parse(phrase, text.named_parts)) for rule in rules for phrase in rule.phrases]


def _with_lists(rule: RuleText, text: LanguageText) -> RuleText:
    def words(some: tuple[str, ...]) -> tuple[str, ...]:
        lists = (text.lists[name[1:-1]] if name.startswith("<") else (name,) for name in some)
        return tuple(phrases.normal(word) for words in lists for word in words)

    names = ("begins", "not_begins", "contains", "not_contains")
    return rule.model_copy(update={name: words(getattr(rule, name)) for name in names})


def _check(rule: RuleText, parsed: phrases.Phrase) -> None:
    names = list(phrases.named(parsed))
    if not set(names) <= {"topic", "fact"} or len(names) > 1:
        said = phrases.expression(parsed)
        raise Misconfigured(f"a phrase of {rule.name} may have one {{topic}} or one {{fact}}: {said}")


def _check_use(text: LanguageText) -> None:
    """Raise Misconfigured if a part or a list is named by no phrase."""
    rules = (*text.rules, *text.answers, *text.taking_back)
    lists = {name[1:-1] for rule in rules for name in (*rule.begins, *rule.not_begins, *rule.contains, *rule.not_contains)}
    if unused := (text.parts.keys() - text.named_parts.used) | (text.lists.keys() - lists):
        raise Misconfigured(f"nothing names {', '.join(sorted(unused))}")


def _needs(parsed: phrases.Phrase) -> tuple[frozenset[str], ...]:
    """The two rarest sets of words, one of each of which is in every text that is this phrase."""
    return tuple(sorted(phrases.needed_words(parsed), key=lambda words: -min(map(rank_of, words)))[:2])


def _cues(rules: list[_Parsed]) -> Cues:
    found: dict[str, set[frozenset[str]]] = {}
    for _, parsed in rules:
        rarest, *others = _needs(parsed)
        for word in rarest:
            found.setdefault(word, set()).add(others[0] if others else rarest)
    return {word: tuple(beside) for word, beside in found.items()}


def _may_be(cues: Cues, words: AbstractSet[str]) -> bool:
    return any(not beside.isdisjoint(words) for cue in cues.keys() & words for beside in cues[cue])


def _by_first_word(rules: list[_Parsed]) -> dict[str, tuple[PhraseRule, ...]]:
    found: dict[str, list[PhraseRule]] = {}
    for text, parsed in sorted(rules, key=lambda rule: -rule[0].confidence):
        rule = PhraseRule(text, parsed, next(phrases.named(parsed), None), _needs(parsed))
        for word in phrases.first_words(parsed):
            found.setdefault(word, []).append(rule)
    return {word: tuple(some) for word, some in found.items()}


def _openers(text: LanguageText) -> dict[str, tuple[Opener, ...]]:
    found: dict[str, list[Opener]] = {}
    for opener in text.openers:
        for phrase in opener.phrases:
            parsed = phrases.parse(phrase, text.named_parts)
            made = Opener(re.compile(phrases.expression(parsed)), opener.weight, opener.requests, opener.greets)
            for word in phrases.first_words(parsed):
                found.setdefault(word, []).append(made)
    return {word: tuple(some) for word, some in found.items()}


def _closers(some: tuple[str, ...]) -> tuple[str, ...]:
    """The closers, each between spaces, the longest first: so `for now` is removed whole."""
    spaced = (f" {' '.join(map(phrases.normal, closer.split()))} " for closer in some)
    return tuple(sorted(spaced, key=len, reverse=True))


def _pattern(some: tuple[str, ...], text: LanguageText, *, begin: str = "") -> re.Pattern[str]:
    """An expression for any of the phrases, without captures. For no phrases it matches nothing."""
    options = "|".join(phrases.expression(phrases.parse(phrase, text.named_parts)) for phrase in some)
    options = _CAPTURE.sub("(?:", options)
    return re.compile(f"{begin}(?:{options})" if options else r"(?!)")
