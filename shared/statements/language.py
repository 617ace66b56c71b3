"""A language file: what its tables mean, and the same made ready for reading.

`languages/<code>.toml` is part of the program, read once like a module. To add a language, add a file and a table of statements
to the tests. Wordings are written as `notation.py` explains, in lower case, verbs in the form that `verbs` names first.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources

from pydantic import Field

from shared.contracts.contract import Contract
from shared.statements.idioms import Idiom, IdiomIndex
from shared.statements.notation import expression, first_words

CODES = ("en", "de", "es", "fr")
"""The languages that are read."""

Words = tuple[str, ...]


class Mark(StrEnum):
    """What a phrase does to the clause that it stands in; it is taken out before the clause is read."""

    VOID = "void"  # nothing is stated, here and in the rest of the sentence
    JOKE = "joke"  # what stands before it was not meant
    RETRACTION = "retraction"  # what stands before it is put right
    DOUBT = "doubt"
    FUTURE = "future"
    ENDED = "ended"
    NEGATED = "negated"
    SKIPPED = "skipped"  # the clause says nothing that lasts: `I did not drink coffee`
    ONCE = "once"  # of one day only: `today`
    TIME = "time"  # says nothing but when
    NOISE = "noise"


class LazyPattern:
    """A regular expression that is compiled when it is first tried: of thousands, few ever are."""

    def __init__(self, expression: str) -> None:
        self.expression = expression

    @functools.cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        """The method of the compiled expression."""
        return re.compile(self.expression).match


@dataclass(frozen=True, slots=True)
class SlotRule:
    """A wording made ready."""

    pattern: LazyPattern
    attributes: Words
    value: str | None = None
    negated: bool = False
    whole: bool = False
    done: bool = False
    weak: bool = False


RuleIndex = dict[str, list[SlotRule]]


class Verb(Contract):
    """The forms of a verb."""

    same: str = Field(default="", description="Those that say the same as the form that names it.")
    past: str = Field(default="", description="Those by which it is over: `lived`.")
    coming: str = Field(default="", description="Those by which it is to come: `moving`.")
    done: bool = Field(default=False, description="Whether it happens at once: its past says what holds now.")


class SlotRuleText(Contract):
    """Wordings of a predicate, and the slot that they state of the subject."""

    slot: str = Field(description="The attribute. `@kin`, `@self`, `@name`, `@appointment`: see reading.py.")
    also: Words = Field(default=(), description="Further attributes of which the same is stated.")
    says: Words = Field(min_length=1)
    value: str | None = Field(default=None, description="The value, or what has a time, where the wording holds none.")
    negated: bool = Field(default=False, description="Whether the wording ends it.")
    whole: bool = Field(default=False, description="Whether nothing may follow.")
    done: bool = Field(default=False, description="Whether its past says what holds now: `I took a job`.")
    weak: bool = Field(default=False, description="Whether it may tell of the moment only: `I lost my keys`.")

    def rule(self, pattern: LazyPattern) -> SlotRule:
        """The rule of one of the wordings."""
        return SlotRule(pattern, (self.slot, *self.also), self.value, self.negated, self.whole, self.done, self.weak)


class ThingRuleText(Contract):
    """Wordings of a predicate of a thing: `my rent is`."""

    slot: str = Field(default="", description="The attribute, where it is not the thing itself: what a laptop runs.")
    weak: bool = Field(default=False, description="As of the rules before.")
    says: Words = Field(min_length=1)
    negated: bool = False

    def rule(self, pattern: LazyPattern) -> SlotRule:
        """The rule of one of the wordings."""
        return SlotRule(pattern, (self.slot,), negated=self.negated, weak=self.weak)


class Appointments(Contract):
    """Words for what has a time."""

    nouns: str = Field(description="What has a time, by its noun.")
    bare: str = Field(description="By whom one has an appointment, said without the word.")
    made: str = Field(description="The word that is added to these.")
    when: str = Field(description="Words of a time that has no digit.")


class StatementTables(Contract):
    """The whole file."""

    words: str = Field(description="Frequent words, by which the language of a text is told.")
    me: Words = Field(description="The person who speaks.")
    my: Words
    user: Words = Field(description="The person, as others call them: `the user`.")
    others: Words = Field(default=(), description="What is said after the name for `we`.")
    he: Words = Field(description="Pronouns of somebody who was named.")
    it: Words = Field(description="Pronouns of a thing that was named.")
    the: Words
    everyone: Words = Field(default=(), description="Who calls the user by a name.")
    a: Words = Field(default=(), description="Articles, with which somebody unknown is named.")
    theirs: dict[str, str] = Field(default_factory=dict, description="Pronouns of the user in a sentence about the user.")
    be: str = Field(description="The form for all present forms of to be.")
    was: str = Field(description="The same for those of the past.")
    present: Words = Field(description="The present forms of to be, and its participle.")
    auxiliaries: Words = Field(description="Verbs that make a past with a participle: `have`.")
    inverts: bool = Field(default=False, description="Whether `live I` is said for `I live` behind another word.")
    drops_subject: bool = Field(default=False, description="Whether a verb in its first form needs no `I`.")
    ours: str = Field(default="", description="The ending of the verbs of `we`, where they need none.")
    nouns_are_capital: bool = Field(default=False, description="Whether a capital is no sign of a name.")
    favourite: Words = ()
    prepositions: Words = ()
    within: Words = Field(default=(), description="Those of what one is part of: `in the choir`.")
    numbers: dict[str, str] = Field(default_factory=dict, description="Number words, by digits.")
    months: str = Field(default="", description="Their names, from January on.")
    weekdays: str = Field(default="", description="Their names, from Monday on.")
    units: dict[str, str] = Field(default_factory=dict, description="Words for day, week, month and year.")
    since: Words = Field(default=(), description="Before the moment from which something holds.")
    starting: Words = Field(default=(), description="Before one that is to come: `from` Monday on.")
    until: Words = Field(default=(), description="Before the one until which it does.")
    onwards: Words = Field(default=(), description="What may follow the former: `from May on`.")
    lasting: Words = Field(default=(), description="Before the time for which it held so far: `for` three years.")
    articles: str = Field(description="Left out at the beginning of a value.")
    possessive: str = Field(default="", description="The ending of an owner.")
    after_is: str = Field(default="", description="Words before which that ending is short for `is`.")
    after_has: str = Field(default="", description="Words before which it is short for `has`.")
    elisions: Words = Field(default=(), description="Words that are joined to the next with an apostrophe.")
    joints: Words = Field(description="Words at which a clause may begin.")
    openers: Words = Field(default=(), description="Further words with which a clause begins: `not`, `now`.")
    breaks: Words = Field(description="Words that begin a clause that leans on another.")
    cuts: Words = Field(description="With what a value ends, and something else begins.")
    closers: Words = Field(description="What may stand behind a value and only says when or how.")
    bare: Words = Field(default=(), description="Verbs that in their first form need no subject.")
    stops: Words = Field(default=(), description="Verbs that end what the next verb says.")
    starts: Words = Field(default=(), description="Verbs that begin what the next verb says.")
    light: Words = Field(default=(), description="Verbs that say nothing beside their object: `play badminton`.")
    brief: Words = Field(default=(), description="Verbs of what may be over soon: `have`, of a headache.")
    here: Words = Field(default=(), description="Words for what is at hand: `this song`.")
    often: Words = Field(default=(), description="Words that do: `every`.")
    groups: Words = Field(default=(), description="What one is in for long: the choir.")
    attached: Words = Field(default=(), description="What may follow these and goes with them: `pay for`.")
    fleeting: str = Field(default="", description="Verbs, in their first form, that tell of the moment: `think`.")
    gerund: str = Field(default="", description="The ending of the form that goes with to be.")
    past: str = Field(default="", description="The ending of most pasts.")
    once: str = Field(default="", description="A regular expression for predicates of one time: `habe ... gekauft`.")
    denies: Words = Field(default=(), description="Before a value that is not meant: `not Leeds`.")
    butting: Words = Field(default=(), description="Before the one that is, behind it: `not Leeds but York`.")
    instead: Words = Field(default=(), description="Before what no longer holds: `instead of`.")
    roles: Words = Field(default=(), description="Endings of nouns whose value is a name: `internet provider`.")
    wrappers: Words = Field(default=(), description="Nouns that name what stands before them: `Netflix subscription`.")
    abbreviations: Words = ()
    titles: Words = ()
    traits: Words = Field(default=(), description="Adjectives before a relative: `my little sister`.")
    distinct: Words = Field(default=(), description="Those that tell one relative from another: `my other sister`.")
    former: Words = Field(default=(), description="The same for one who is none any more: `my ex wife`.")
    adjectives: str = Field(default="", description="What somebody is who has no name: `my boss is nice`.")
    no_names: Words = Field(default=(), description="What a relative is who is not called so: `my exam is next`.")
    vague: str = Field(default="", description="What is no value: `there`, `something`.")
    asks: Words = Field(default=(), description="How a question begins that has no question mark.")
    marks: dict[Mark, Words]
    parts: dict[str, str] = Field(default_factory=dict)
    kin: dict[str, str] = Field(description="Relatives, pets and the like: words by attribute.")
    things: dict[str, str] = Field(description="Things that have a value: words by attribute.")
    compounds: Words = Field(default=(), description="Those of which there are several: `holiday budget`, `wifi password`.")
    appointments: Appointments
    verbs: dict[str, Verb]
    regular: str = Field(default="", description="Verbs that happen at once, and take -s, -ed and -ing.")
    spellings: dict[str, str] = Field(default_factory=dict)
    same: dict[str, str] = Field(default_factory=dict, description="Values that mean the same: `cigarettes` by `smoking`.")
    idioms: tuple[Idiom, ...] = ()
    rules: tuple[SlotRuleText, ...]
    thing_rules: tuple[ThingRuleText, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a verb."""

    base: str
    is_past: bool
    is_coming: bool
    is_done: bool


class PhraseIndex:
    """Phrases found by their first words, so that a text is tried with those only that can stand in it."""

    def __init__(self, phrases: Iterable[tuple[str, Mark]], parts: Mapping[str, str], *, to_end: bool = False) -> None:
        """`to_end`: a phrase is found only where it reaches to the end."""
        self._by_word: dict[str, list[tuple[LazyPattern, Mark]]] = {}
        for phrase, mark in phrases:
            pattern = LazyPattern(f"(?:{expression(phrase, parts)})(?={'' if to_end else ' |'}$)")
            for word in first_words(phrase, parts):
                self._by_word.setdefault(word, []).append((pattern, mark))

    def longest(self, word: str, text: str, start: int) -> tuple[int, Mark] | None:
        """Where the longest phrase ends that begins with this word, at this place of the text."""
        best: tuple[int, Mark] | None = None
        for pattern, mark in self._by_word.get(word, ()):
            if (found := pattern.match(text, start)) and (best is None or found.end() > best[0]):
                best = found.end(), mark
        return best


class StatementLanguage:
    """A language, ready to read with."""

    def __init__(self, tables: StatementTables) -> None:
        self.tables = tables
        self.words = frozenset(tables.words.split())
        self.kin = {word.replace("_", " "): name for name, some in tables.kin.items() for word in some.split()}
        self.things = {word: name for name, some in tables.things.items() for word in some.split("|")}
        self.kinds = {word: name for word, name in self.things.items() if word in tables.compounds}
        self.thing_names = frozenset(tables.things)
        self.nouns = frozenset(tables.appointments.nouns.split("|"))
        self.bare_nouns = frozenset(tables.appointments.bare.split("|"))
        self.when = frozenset(tables.appointments.when.split("|"))
        self.articles = frozenset(tables.articles.split())
        self.vague = frozenset(tables.vague.split())
        self.months = {name: number for number, name in enumerate(tables.months.split(), start=1)}
        self.weekdays = {name: number for number, name in enumerate(tables.weekdays.split())}
        self.no_names = frozenset(tables.no_names)
        self.fleeting = frozenset(tables.fleeting.split())
        self.wrappers = frozenset(tables.wrappers)
        self.after_is = frozenset(tables.after_is.split())
        self.after_has = frozenset(tables.after_has.split())
        self.adjectives = frozenset(tables.adjectives.split()) | frozenset(tables.he) | frozenset(tables.it)
        self.favourite = frozenset(tables.favourite)
        self.prepositions = frozenset(tables.prepositions)
        self.meets = frozenset(f"{tables.be} {word}" for word in tables.prepositions)
        self.auxiliaries = frozenset(tables.auxiliaries)
        self.present = frozenset(tables.present)
        self.owns = {word: mine for word, mine in tables.theirs.items() if mine in tables.my}
        self.joints = frozenset({",", *tables.joints})
        self.pronouns = frozenset({*tables.me, *tables.my, *tables.he, *tables.it})
        self.breaks = frozenset(tables.breaks)
        self.openers = frozenset({*tables.me, *tables.my, *tables.he, *tables.it, *tables.the, *self.things, *tables.openers})
        self.forms = {**dict(_regular_forms(tables.regular)), **dict(_forms(tables.verbs))}
        parts = {
            **{name: _longest_first(part) for name, part in tables.parts.items()},
            "kin": "|".join(sorted(self.kin, key=len, reverse=True)),
        }
        self.parts = parts
        self.marks = PhraseIndex(((phrase, mark) for mark, some in tables.marks.items() for phrase in some), parts)
        ends = [*((closer, Mark.TIME) for closer in tables.closers), *((cut, Mark.VOID) for cut in tables.cuts)]
        self.ends = PhraseIndex(ends, parts, to_end=True)
        self.idioms = IdiomIndex(tables.idioms)
        self.rules = _index(((each.says, each.rule) for each in tables.rules), parts)
        self.thing_rules = _index(((each.says, each.rule) for each in tables.thing_rules), parts)
        thing_verbs = self.thing_rules.keys() | self.auxiliaries
        self.thing_heads = (
            thing_verbs | {tables.be, tables.was} | {word for word, form in self.forms.items() if form.base in thing_verbs}
        )
        self.heads = frozenset(self.forms) | {tables.be, tables.was} | self.rules.keys() | self.thing_rules.keys()

    def may_be_verb(self, word: str) -> bool:
        """Whether a verb that lasts may begin a predicate with this word."""
        return not any(word in some for some in (self.fleeting, self.vague, self.articles, self.prepositions, self.breaks))

    def tells_once(self, predicate: str) -> bool:
        """Whether a predicate has the form of what was done at one time."""
        return bool(self.tables.once) and re.match(self.tables.once, predicate) is not None

    def knows(self, words: Collection[str]) -> int:
        """How many of the words are frequent ones of this language, or verbs of its tables."""
        known = (self.words, self.heads, self.pronouns, self.tables.spellings, self.things, self.kin)
        return sum(any(word in some for some in known) for word in words)


def language_of(words: Collection[str]) -> StatementLanguage:
    """The language of a text with these words; English where nothing shows."""
    return max(map(statement_language, CODES), key=lambda language: language.knows(words))


@functools.cache
def statement_language(code: str) -> StatementLanguage:
    """The language of a shipped file."""
    document = resources.files(__package__).joinpath("languages", f"{code}.toml").read_text(encoding="utf-8")
    return StatementLanguage(StatementTables.model_validate(tomllib.loads(document)))


def _longest_first(part: str) -> str:
    """Plain alternatives so that `drink coffee` is tried before `drink`."""
    return part if "(" in part else "|".join(sorted(part.split("|"), key=len, reverse=True))


def _forms(verbs: Mapping[str, Verb]) -> Iterator[tuple[str, Form]]:
    for base, verb in verbs.items():
        for some, is_past, is_coming in (
            (verb.past, True, False),
            (verb.coming, False, True),
            (f"{base} {verb.same}", False, False),
        ):
            for form in some.split():
                yield form, Form(base, is_past, is_coming, verb.done)


def _regular_forms(verbs: str) -> Iterator[tuple[str, Form]]:
    for base in verbs.split():
        stem = base.removesuffix("e")
        for form in (base, f"{base}s", f"{stem}ed", f"{base}{base[-1]}ed"):
            yield form, Form(base, is_past=False, is_coming=False, is_done=True)
        for form in (f"{stem}ing", f"{base}{base[-1]}ing"):
            yield form, Form(base, is_past=False, is_coming=True, is_done=True)


def _index(wordings: Iterable[tuple[Sequence[str], Callable[[LazyPattern], SlotRule]]], parts: Mapping[str, str]) -> RuleIndex:
    """The rules by the first words of their wordings."""
    found: RuleIndex = {}
    for says, rule_of in wordings:
        for wording in says:
            rule = rule_of(LazyPattern(f"{expression(wording, parts)}(?: (?P<rest>.*))?$"))
            for word in first_words(wording, parts):
                found.setdefault(word, []).append(rule)
    return found
