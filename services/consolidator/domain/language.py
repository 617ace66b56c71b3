"""What the rules know of each language, from `languages/<code>.toml`: answers, corrections, wishes, and what is worth keeping.

Wordings are regular expressions, matched without regard to case; `<name>` stands for a part of the file's `parts`. To add a
language, add a file, and an annotated conversation to the tests.
"""

import functools
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources

from pydantic import Field

from services.consolidator.domain.kinds import FactTag, StatementRule
from shared.contracts.contract import Contract
from shared.language.statements.language import CODES, statement_language
from shared.language.text.stemming import stem

Wordings = tuple[str, ...]

ENGLISH = "en"

_WORD = re.compile(r"[^\W\d_]+")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
_PART = re.compile(r"<(\w+)>")
_CLEAR = 2
_ENOUGH_WORDS = 3
_OWN = {"en": ("im", "ive", "its", "theres", "there", "the", "you"), "fr": ("j", "c", "on"), "de": (), "es": ("me", "nos")}


class AnswerText(Contract):
    """Questions of a bot, and the statements that their answers make; `{answer}` and the questions' groups stand in these."""

    asks: Wordings = Field(min_length=1)
    states: str | None = None  # what an answer that names something states
    yes: str | None = None  # what a yes states; what is said behind it follows
    no: str | None = None
    strips: str = ""  # what is cut off the beginning of an answer
    begins: str = ""  # with what an answer must begin


class Keeping(Contract):
    """Statements that are worth keeping."""

    tag: FactTag
    confidence: float = Field(default=0.8, ge=0, le=1)
    says: Wordings = Field(min_length=1)


class LearningTables(Contract):
    """The whole file."""

    user: str  # how a speaker without a name is called
    said: str  # how words are told that stay as they are; `{name}`, `{words}`
    asked: str  # the same for a wish
    parts: dict[str, str] = Field(default_factory=dict)
    abbreviations: str  # words whose full stop ends no sentence
    openings: Wordings = ()  # what may stand before a statement, and says nothing
    restarts: str = ""  # words with which a sentence begins behind a number and a full stop
    midway: str = ""  # how a correction begins in the midst of a sentence: `no sorry`
    persons: str = ""  # a relative whom a later pronoun can mean: groups `she` and `he`
    strangers: str = ""  # somebody else whom a later pronoun can mean as well: `the nurse`
    yours: str = ""  # the possessive by which the bot names the user's relatives
    she: str = ""  # the pronoun that means her
    he: str = ""
    joins: str  # with what a sentence goes on that was cut too early
    tails: str  # how a question begins that stands behind a statement and a comma
    tags: str  # tails that make a question of the statement itself: `right`
    telling: str  # further words by which the language of a short text is told
    yes: str
    no: str
    evades: str  # answers that tell nothing
    retracts: str  # how a correction of the words before it begins
    retracts_late: str  # the same behind the right words
    drops: str  # what takes the words before it back, whatever follows
    hollow: str  # words of a correction that are not its value: `it's`, `starts`, `on`
    classes: Wordings  # values of one kind: a weekday is corrected by a weekday
    wishes: Wordings  # lasting wishes to the bot
    left_out: Wordings = ()  # what no fact has
    jokes: str  # what takes back as a joke what it stands with, or behind
    sarcasm: str  # how a sentence begins that means the opposite
    leans: str = ""  # how a sentence begins that needs the one before
    elided: str = ""  # how a sentence begins whose subject is left out; the user is meant
    habit: str  # how a sentence begins that may tell what the user does or has for long
    empty: str = ""  # words that tell nothing of somebody: judgements, feelings, `thing`, `make`
    judges: str = ""  # a clause that only tells how something is felt to be: `was so much fun`
    passing: str = ""  # what nobody would keep: figures of speech, what points to things unnamed
    vague: str = ""  # what names nothing in particular: `another one`, `the same`
    near: str = ""  # what shows that a statement is about the user, or those near to them
    of_the_day: str = ""  # what shows that something is over by tomorrow
    momentous: str = ""  # what is worth keeping nevertheless
    changes: str = ""  # what shows that something is not as it was before: `any more`, `these days`
    keeps: tuple[Keeping, ...] = ()
    answers: tuple[AnswerText, ...]


@dataclass(frozen=True, slots=True)
class BotQuestion:
    """Questions of a bot, ready to be met."""

    asks: tuple[re.Pattern[str], ...]
    text: AnswerText
    strips: re.Pattern[str]
    begins: re.Pattern[str]


class LearningLanguage:
    """A language, ready to learn with."""

    def __init__(self, code: str, tables: LearningTables, document: str) -> None:
        self.code = code
        self.tables = tables
        self.writing = statement_language(code).writing.and_words_of(document)
        self._read_sentences(tables)
        self._read_people(tables)
        self._read_corrections(tables)
        self._read_worth(tables)
        self._read_answers(tables)

    def _read_sentences(self, tables: LearningTables) -> None:
        """Where sentences begin and end, and what of them says nothing."""
        self.abbreviations = frozenset(tables.abbreviations.split())
        self.opening = self._begin(rf"(?:{self._any(tables.openings)})(?:[\s,.:!–—-]+|$)")
        self.restarts = re.compile(rf"(?<=\d\.)\s+(?=(?:{tables.restarts or '(?!)'})\b)")
        self.midway = re.compile(rf"(?<=\w),?\s+(?=(?:{tables.midway or '(?!)'})\b)", re.IGNORECASE)
        self.joins = re.compile(rf"(?:{self._expanded(tables.joins)})\b")
        self.tail = self._begin(rf"¿|(?:{tables.tails})\b")
        self.tag = re.compile(rf"(?:{tables.tags})$", re.IGNORECASE)
        self.leans = self._begin(rf"(?:{tables.leans or '(?!)'})\b")
        self.elided = self._begin(rf"(?:{tables.elided or '(?!)'})\b")

    def _read_people(self, tables: LearningTables) -> None:
        """Who is named, and whom a pronoun means."""
        self.persons, self.strangers, self.yours = map(self._word, (tables.persons, tables.strangers, tables.yours))
        self.she, self.he = (self._begin(rf"(?:{each or '(?!)'})(?= )") for each in (tables.she, tables.he))
        known = statement_language(self.code).tables
        self.people = self._begin(rf"(?:{'|'.join(known.he)}|s?hes)\b")
        self.own = self._begin(rf"(?:{'|'.join((*known.me, *known.my, *known.he, *_OWN.get(self.code, ())))})\b")

    def _read_corrections(self, tables: LearningTables) -> None:
        """What takes back, or puts right, what was said before."""
        self.retracts = self._begin(rf"(?:{tables.retracts})(?!\w)[\s,.:;!–—-]*")
        late = rf"[\s,.;!–—-]+(?:{tables.retracts_late})"
        self.retracts_late = re.compile(rf"{late}(?:[\s.!]*$|(?=[,.!]| -))", re.IGNORECASE)
        self.drops = self._begin(rf"(?:{tables.drops})(?!\w)[\s,.:;!–—-]*")
        self.hollow = frozenset(tables.hollow.split())
        self.classes = tuple(
            re.compile(rf"(?<![\w:.])(?:{self._expanded(each)})(?!\w)", re.IGNORECASE) for each in tables.classes
        )
        self.jokes = re.compile(self._expanded(tables.jokes), re.IGNORECASE)
        self.sarcasm = self._begin(tables.sarcasm)

    def _read_worth(self, tables: LearningTables) -> None:
        """What is worth keeping, and what is not."""
        self.wish = self._begin(self._any(tables.wishes))
        self.left_out = re.compile(self._any(tables.left_out), re.IGNORECASE)
        self.habit = self._begin(rf"(?:{tables.habit})\b")
        self.changes, self.of_the_day, self.momentous = map(self._word, (tables.changes, tables.of_the_day, tables.momentous))
        self.judges, self.passing, self.vague = (
            re.compile(self._expanded(wording or "(?!)"), re.IGNORECASE)
            for wording in (tables.judges, tables.passing, tables.vague)
        )
        self.near = re.compile(self._expanded(tables.near), re.IGNORECASE)
        self.empty = frozenset(stem(word, self.code) for word in tables.empty.split())
        self.keeps = tuple(
            StatementRule(re.compile(self._any(each.says), re.IGNORECASE), each.tag, each.confidence) for each in tables.keeps
        )

    def _read_answers(self, tables: LearningTables) -> None:
        """What a bot asks, and how it is answered."""
        self.yes = self._begin(rf"(?:{tables.yes})(?!\w)[\s,.:!–—-]*")
        self.no = self._begin(rf"(?:{tables.no})(?!\w)[\s,.:!–—-]*")
        self.evades = self._begin(rf"(?:{tables.evades})\b")
        self.answers = tuple(
            BotQuestion(
                tuple(re.compile(rf"(?:^|\b)(?:{self._expanded(asked)})\W*$", re.IGNORECASE) for asked in each.asks),
                each,
                self._begin(rf"^(?:{each.strips or '(?!)'})\b\s*"),
                self._begin(each.begins),
            )
            for each in tables.answers
        )

    def _word(self, wording: str) -> re.Pattern[str]:
        """A pattern of whole words, anywhere; of nothing where there is no wording."""
        return re.compile(rf"\b(?:{self._expanded(wording or '(?!)')})\b", re.IGNORECASE)

    def finds(self, pattern: re.Pattern[str], words: str) -> bool:
        """Whether a pattern is in the words, as they are typed or as they are written with care."""
        return bool(pattern.search(words) or pattern.search(self.writing.text(words)))

    def begins(self, pattern: re.Pattern[str], words: str) -> bool:
        """Whether the words begin with a pattern, typed in either way."""
        return bool(pattern.match(words) or pattern.match(self.writing.text(words)))

    def _begin(self, wording: str) -> re.Pattern[str]:
        return re.compile(self._expanded(wording), re.IGNORECASE)

    def _any(self, wordings: Iterable[str]) -> str:
        return "|".join(f"(?:{self._expanded(each)})" for each in wordings) or "(?!)"

    def _expanded(self, wording: str) -> str:
        """The wording with the parts that it names."""
        while (longer := _PART.sub(self._part, wording)) != wording:
            wording = longer
        return wording

    def _part(self, found: re.Match[str]) -> str:
        part = self.tables.parts.get(found[1])
        return f"(?:{part})" if part is not None else found[0]


@functools.cache
def learning_language(code: str) -> LearningLanguage:
    """The language of a shipped file."""
    document = resources.files(__package__).joinpath("languages", f"{code}.toml").read_text(encoding="utf-8")
    return LearningLanguage(code, LearningTables.model_validate(tomllib.loads(document)), document)


def tells_language(text: str) -> bool:
    """Whether a text has words enough to tell its language."""
    return max(_known(code, _words(text)) for code in CODES) >= _ENOUGH_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_POSSESSIVE.sub(" ", text.lower())))


def _known(code: str, words: frozenset[str]) -> int:
    """How many of the words are frequent in a language, or name a relative in it."""
    language = statement_language(code)
    own = words & {*language.tables.me, *language.tables.my, *language.tables.to_me}
    return len(words & _telling(code)) + len(own) + len(words & language.writing.hurried)


@functools.cache
def _telling(code: str) -> frozenset[str]:
    language = statement_language(code)
    return (
        language.words
        | language.kin.keys()
        | language.forms.keys()
        | language.things.keys()
        | frozenset(learning_language(code).tables.telling.split())
    )


def known_words(text: str, language: LearningLanguage) -> int:
    """How many different words of a text show that it is in this language."""
    return len(_words(text) & _telling(language.code))


def spoken(text: str, usual: LearningLanguage | None = None) -> LearningLanguage:
    """The language of a text: the usual one of its conversation, unless the text is clearly in another."""
    words = _words(text)
    known = {code: _known(code, words) for code in CODES}
    best = max(CODES, key=lambda code: known[code])
    if usual is not None and known[best] < _CLEAR * max(1, known[usual.code]):
        return usual
    return learning_language(best)
