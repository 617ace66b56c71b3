"""The `[statements]` of each language's file, ready to be read with."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import ClassVar

from pydantic import Field

from shared.language.statements.attributes import ValueKind, find_attribute
from shared.language.statements.handed_over import task_pattern
from shared.language.statements.notation import WHO, WHOSE, Phrases, Shape, compile_shape
from shared.language.tables import LanguagePart, Section, WordSet, table
from shared.language.text.languages import STOP_WORDS, text_tables

Words = tuple[str, ...]
_OF_HEALTH = (ValueKind.ALLERGEN, ValueKind.FOOD, ValueKind.CONDITION, ValueKind.DRUG, ValueKind.DIET)


class Shapes(Section):
    """The shapes of clauses that state one attribute."""

    says: Words = ()  # it has the value; `{old:...}` is the one before
    ends: Words = ()  # it has it no more; a shape without a value ends any


class StatementTables(LanguagePart):
    """`[statements]` of a language's file. The notation of phrases and shapes is in notation.py."""

    part: ClassVar[str] = "statements"
    user: str  # the name of a person without a name
    quote: str  # how words are quoted: `{name}`, `{words}`
    wish: str  # how a wish to the bot is quoted: `{name}`, `{words}`
    reply: str  # how an answer is quoted: `{name}`, `{words}`, `{question}`
    correction: str  # how a statement and its correction are quoted: `{name}`, `{words}`, `{right}`
    refuses: Words = ()  # answers that tell nothing
    wishes: Words = ()  # first words of a lasting wish to the bot: `always answer`
    wish_cases: Words = ()  # first words of a wish for certain cases: `whenever I`
    wishes_then: Words = ()  # the wish that follows a case: `, always answer`
    wish_once: Words = ()  # phrases of a request for one time only: `this time`
    wish_ends: Words = ()  # last words that make any request a lasting wish: `from now on`
    offers: Words = ()  # how a question of the bot begins that asks nothing about the person
    tags: dict[str, Words] = Field(default_factory=dict)  # what shows of what kind a statement is
    persons: Words = ()  # names of the user in facts: `the user`
    me: Words
    my: Words
    objects: Words = ()  # words that mean the user, and are no subject: `me`
    others: Words  # subjects that are somebody or something else
    leaning: Words = ()  # pronouns among `others`, which refer to the sentence before
    fronted: Words = ()  # words that say when or where before the subject
    elided: Words = ()  # first words of a statement that leaves out its subject `I`: `moved to York`
    contractions: dict[str, str] = Field(default_factory=dict)
    endings: dict[str, str] = Field(default_factory=dict)  # parts of a word that count as words: `n't`
    openers: Words = ()  # before a statement, and say nothing
    closers: Words = ()
    adverbs: Words = ()  # words amid a statement that say nothing
    no: Words = ()  # answers that also negate the next word, if no comma follows: `no nuts`
    joints: Words
    undoes: Words = ()  # words that, behind a comma, may take back the statement before it: `until`
    reasons: Words = ()  # joints that begin a new clause whatever its subject is: `because`
    breaks: Words = ()  # words between two statements that say nothing: `lol`
    asks: Words  # how a question begins
    tails: Words = ()  # clauses that make a question of the one before: `right?`
    open: Words  # phrases in a sentence that tells nothing of the person: `if`, `he said`
    hedges: Words  # phrases in a sentence of which nothing is sure: `maybe`, `next year`
    jokes: Words = ()
    corrects: Words = ()  # first words of corrections, and of other sentences too: `no`
    says_wrong: Words = ()  # first words of corrections only: `I meant`
    labels: Words = ()  # words before a colon that begin a correction amid a text: `edit`
    instead: Words = ()  # shapes of a correction, with the right `{words}` and the wrong `{old}`
    retracts: Words = ()  # sentences that take back the one before
    works: Words = ()  # words of a request to work on a text that follows a colon: `translate`
    asked: Words = ()  # first words of a request to remember the rest: `remember that`
    passing: Words = ()  # first words of clauses about the moment or the conversation: `I think`
    empty: WordSet = frozenset()  # words that say nothing about somebody
    weighty: WordSet = frozenset()  # words of events that matter beyond the day: `funeral`
    today: Words = ()  # phrases that limit a statement to the day: `tonight`
    little: WordSet = frozenset()  # words that no name and no value has, beside the stop words
    since: Words = ()
    ordinal_dots: bool = False  # a full stop behind a number may end no sentence: `am 3. geht es los`
    units: dict[str, float] = Field(default_factory=dict)  # days by the word
    lasting: Words = ()
    joined: Words  # between the values of a list
    articles: Words
    at_hand: Words = ()  # words before a thing of the moment, which is no lasting liking: `I love the colours`
    repeated: Words = ()  # prepositions that stand before each value of a list: `aux noix et au lait`
    numbers: str  # the words for one to twenty
    kin: dict[str, str]
    kin_adjectives: Words = ()  # words before a relation that leave it one: `new boss`, but not `ex boss`
    bare_kin: Words = ()  # relations that mean the user's own without `my`: `mum`
    parts: dict[str, str] = Field(default_factory=dict)
    lists: dict[str, dict[str, str] | str]  # the values of a type: its words, or the words by what they mean
    endings_of: dict[str, Words] = Field(default_factory=dict)  # endings of words by which a type is known
    shapes: dict[str, Shapes]


class StatementLanguage:
    """One language, ready to read with."""

    def __init__(self, code: str, tables: StatementTables) -> None:
        self.code = code
        self.tables = tables
        self.me, self.my = frozenset(tables.me), frozenset(tables.my)
        self.subjects = self.me | self.my | frozenset(tables.others)
        self.first_person = self.me | self.my | frozenset(tables.objects)
        self.leaning = frozenset(tables.leaning)
        self.joints = frozenset(tables.joints)
        self.articles, self.at_hand = frozenset(tables.articles), frozenset(tables.at_hand)
        self.no, self.undoes = frozenset(tables.no), frozenset(tables.undoes)
        self.breaks, self.reasons = frozenset(tables.breaks), frozenset(tables.reasons)
        self.bare_kin = frozenset(tables.bare_kin)
        calendar = text_tables(code).calendar
        self.abbreviations = text_tables(code).abbreviations
        self.months = _numbered(each.split() for each in calendar.months)
        self.weekdays = calendar.weekdays
        self.times = frozenset((*self.weekdays, *self.months))
        self.numbers = _numbered(each.split("|") for each in tables.numbers.split())
        self.before_kin = frozenset((*tables.articles, *self.numbers, *tables.kin_adjectives))
        self.kin = {word: name for name, words in tables.kin.items() for word in words.split()}
        self.little = STOP_WORDS[code] | tables.little | self.me | self.my | self.joints
        self.empty, self.talk = tables.empty, text_tables(code).talk_words
        self.frequent = text_tables(code).common_words | tables.weighty
        self.common = self.little | self.empty | self.subjects | self.kin.keys()  # at the beginning of a sentence no name
        self.weighty = tables.weighty
        self.lists = {name: _meanings(words) for name, words in tables.lists.items()}
        drugs = self.lists.get(ValueKind.DRUG, {})
        allergens = [word for word in self.lists.get(ValueKind.ALLERGEN, {}) if word not in drugs]
        self.edible = frozenset((*self.lists.get(ValueKind.FOOD, {}), *allergens))  # what may stand where food does
        self.health = frozenset(word for name in _OF_HEALTH for word in self.lists.get(name, ())) - self.kin.keys()
        self.contractions = {word: tuple(words.split()) for word, words in tables.contractions.items()}
        self.open, self.hedges, self.jokes, self.today, self.asks, self.passing, self.openers, self.closers = (
            Phrases.of(each, tables.parts)
            for each in (
                *(tables.open, tables.hedges, tables.jokes, tables.today),
                *(tables.asks, tables.passing, tables.openers, tables.closers),
            )
        )
        self.corrects, self.says_wrong, self.asked, self.retracts, self.offers, self.refuses = (
            Phrases.of(each, tables.parts)
            for each in (tables.corrects, tables.says_wrong, tables.asked, tables.retracts, tables.offers, tables.refuses)
        )
        self.wishes, self.wish_ends, self.wish_cases, self.wishes_then, self.wish_once = (
            Phrases.of(each, tables.parts)
            for each in (tables.wishes, tables.wish_ends, tables.wish_cases, tables.wishes_then, tables.wish_once)
        )
        self.task = task_pattern(tables.works) if tables.works else None
        self.label = re.compile(rf"\s(?=(?:{'|'.join(tables.labels)}) ?:)", re.IGNORECASE) if tables.labels else None
        self.adverbs, self.tails = frozenset(tables.adverbs), frozenset(tables.tails)
        self.elided, self.fronted = frozenset(tables.elided), frozenset(tables.fronted)
        self.tags = {name: Phrases.of(phrases, tables.parts) for name, phrases in tables.tags.items()}
        self._shapes = self._by_word(tables)

    def shapes_of(self, words: Iterable[str]) -> Iterable[tuple[str, bool, Shape]]:
        """Return each shape that a clause of these words may have, with its attribute; True for an end."""
        seen: set[int] = set()
        for word in words:
            for each in self._shapes.get(word, ()):
                if id(each) not in seen:
                    seen.add(id(each))
                    yield each

    @functools.cached_property
    def instead(self) -> list[Shape]:
        """The shapes of a correction, of which `old` is the wrong value and `words` the right one."""
        return [compile_shape(each, self.tables.parts, {}) for each in self.tables.instead]

    @functools.cached_property
    def instead_words(self) -> frozenset[str]:
        """Words of which one stands in each correction that names the wrong value: `not`."""
        return frozenset(word for shape in self.instead if "old" in shape.types for word in shape.words)

    @functools.cached_property
    def instead_behind(self) -> list[Shape]:
        """The shapes of a correction that begins with the right value and ends with words that say so: `40 mg, sorry`."""
        return [
            shape
            for shape, written in zip(self.instead, self.tables.instead, strict=True)
            if written.startswith("{words}") and shape.words and "old" not in shape.types
        ]

    def _by_word(self, tables: StatementTables) -> dict[str, list[tuple[str, bool, Shape]]]:
        kin = "|".join(sorted(map(re.escape, self.kin), key=len, reverse=True))
        mine = "|".join(map(re.escape, tables.my))
        relative = rf"(?:{mine}) (?:[\w-]+ )?(?:{kin})(?: (?!'s)[\w-]+)?"
        name = r"[\w-]+(?: [\w-]+)?"
        persons = {
            WHO: rf"(?:{'|'.join(tables.me)}|{relative}|{name})",
            WHOSE: rf"(?:{relative} 's|{name} 's|{mine})",
        }
        found: dict[str, list[tuple[str, bool, Shape]]] = {}
        for attribute, shapes in tables.shapes.items():
            if attribute != "kin" and "{" not in attribute and find_attribute(attribute.partition(": ")[0]) is None:
                raise ValueError(f"{self.code}.toml: {attribute} is not in attributes.toml")
            for is_end, written in (*((False, each) for each in shapes.says), *((True, each) for each in shapes.ends)):
                each = (attribute, is_end, compile_shape(written, tables.parts, persons))
                if not each[2].words:
                    raise ValueError(f"{self.code}.toml: a shape without a word of its own: {written}")
                for word in each[2].words:
                    found.setdefault(word, []).append(each)
        return found


def _numbered(words: Iterable[Iterable[str]]) -> Mapping[str, int]:
    """Return the words with their numbers from 1, each in its variants."""
    return {variant: number for number, each in enumerate(words, 1) for variant in each}


def _meanings(words: dict[str, str] | str) -> Mapping[str, str]:
    """Return what each of the words, which commas part, means."""
    if isinstance(words, str):
        return {word.strip(): word.strip() for word in words.split(",")}
    return {
        word.strip(): meaning for meaning, several in words.items() for word in (meaning, *several.split(",")) if word.strip()
    }


@functools.cache
def statement_language(code: str) -> StatementLanguage:
    """Return a language that has a file. Raises Misconfigured or ValueError with the file's name for a wrong entry."""
    return StatementLanguage(code, table(code, StatementTables))


@functools.cache
def shared_list(name: str) -> frozenset[str]:
    """Return a list that is of no language: `places`."""
    source = resources.files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return frozenset(
        word.strip() for line in source.splitlines() if not line.startswith("#") for word in line.split(",") if word.strip()
    )
