"""The tables of a language file, and what each of them means.

`languages/<code>.toml` is part of the program, read once like a module. To add a language, add a file and a table of statements
to the tests. Wordings are written as `notation.py` explains, in lower case, verbs in the form that `verbs` names first.
"""

from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field

from shared.contracts.contract import Contract
from shared.language.statements.old.idioms import Idiom
from shared.language.statements.old.notation import LazyPattern

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
    ADDED = "added"  # what is said comes to what was said before: `I also teach singing`
    NOISE = "noise"


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


class Verb(Contract):
    """The forms of a verb."""

    same: str = ""  # those that say the same as the form that names it
    past: str = ""  # those by which it is over: `lived`
    coming: str = ""  # those by which it is to come: `moving`
    done: bool = False  # whether it happens at once: its past says what holds now


class SlotRuleText(Contract):
    """Wordings of a predicate, and the slot that they state of the subject."""

    slot: str  # the attribute. `@kin`, `@self`, `@name`, `@appointment`: see rule_slots.py
    also: Words = ()  # further attributes of which the same is stated
    says: Words = Field(min_length=1)
    value: str | None = None  # the value, or what has a time, where the wording holds none
    negated: bool = False  # whether the wording ends it
    whole: bool = False  # whether nothing may follow
    done: bool = False  # whether its past says what holds now: `I took a job`
    weak: bool = False  # whether it may tell of the moment only: `I lost my keys`

    def rule(self, pattern: LazyPattern) -> SlotRule:
        """The rule of one of the wordings."""
        return SlotRule(pattern, (self.slot, *self.also), self.value, self.negated, self.whole, self.done, self.weak)


class ThingRuleText(Contract):
    """Wordings of a predicate of a thing: `my rent is`."""

    slot: str = ""  # the attribute, where it is not the thing itself: what a laptop runs
    weak: bool = False  # as of the rules before
    says: Words = Field(min_length=1)
    negated: bool = False

    def rule(self, pattern: LazyPattern) -> SlotRule:
        """The rule of one of the wordings."""
        return SlotRule(pattern, (self.slot,), negated=self.negated, weak=self.weak)


class Appointments(Contract):
    """Words for what has a time."""

    nouns: str  # what has a time, by its noun
    bare: str  # by whom one has an appointment, said without the word
    made: str  # the word that is added to these
    when: str  # words of a time that has no digit


class StatementTables(Contract):
    """The whole file."""

    words: str  # frequent words, by which the language of a text is told
    me: Words  # the person who speaks
    my: Words
    user: Words  # the person, as others call them: `the user`
    others: Words = ()  # what is said after the name for `we`
    he: Words  # pronouns of somebody who was named
    it: Words  # pronouns of a thing that was named
    the: Words
    everyone: Words = ()  # who calls the user by a name
    a: Words = ()  # articles, with which somebody unknown is named
    theirs: dict[str, str] = Field(default_factory=dict)  # pronouns of the user in a sentence about the user
    be: str  # the form for all present forms of to be
    be_lasts: bool = False  # whether to be tells of what lasts, another verb of the moment: `soy`
    was: str  # the same for those of the past
    present: Words  # the present forms of to be, and its participle
    auxiliaries: Words  # verbs that make a past with a participle: `have`
    clitics: dict[str, str] = Field(default_factory=dict)  # pronouns before a verb, by that of the rules: `se`, me
    to_me: Words = ()  # pronouns before a verb whose object is the user: `mi jefe me subió`
    inverts: bool = False  # whether `live I` is said for `I live` behind another word
    drops_subject: bool = False  # whether a verb in its first form needs no `I`
    ours: str = ""  # the ending of the verbs of `we`, where they need none
    of_others: str = ""  # the ending of the verbs that nobody says of themselves, in the present
    nouns_are_capital: bool = False  # whether a capital is no sign of a name
    favourite: Words = ()
    prepositions: Words = ()
    within: Words = ()  # those of what one is part of: `in the choir`
    numbers: dict[str, str] = Field(default_factory=dict)  # number words, by digits
    hours: dict[str, str] = Field(default_factory=dict)  # words for hours: `noon`
    before_hours: dict[str, int] = Field(default_factory=dict)  # minutes by words before an hour: `half past`
    behind_hours: dict[str, int] = Field(default_factory=dict)  # the same for words behind it: `y media`
    months: str = ""  # their names, from January on
    weekdays: str = ""  # their names, from Monday on
    units: dict[str, str] = Field(default_factory=dict)  # words for day, week, month and year
    since: Words = ()  # before the moment from which something holds
    starting: Words = ()  # before one that is to come: `from` Monday on
    until: Words = ()  # before the one until which it does
    onwards: Words = ()  # what may follow the former: `from May on`
    lasting: Words = ()  # before the time for which it held so far: `for` three years
    articles: str  # left out at the beginning of a value
    possessive: str = ""  # the ending of an owner
    after_is: str = ""  # words before which that ending is short for `is`
    after_has: str = ""  # words before which it is short for `has`
    clipped: str = ""  # the ending of first forms that is left out in a hurry: `ich wohn`
    elisions: Words = ()  # words that are joined to the next with an apostrophe
    joints: Words  # words at which a clause may begin
    openers: Words = ()  # further words with which a clause begins: `not`, `now`
    breaks: Words  # words that begin a clause that leans on another
    after_which: Words = ()  # behind which `I am` begins a clause without a comma: `moved out`
    cuts: Words  # with what a value ends, and something else begins
    closers: Words  # what may stand behind a value and only says when or how
    bare: Words = ()  # verbs that in their first form need no subject
    stops: Words = ()  # verbs that end what the next verb says
    alters: Words = ()  # verbs of change: `I changed my number, it is`
    switches: Words = ()  # verbs by which one thing takes the place of another
    starts: Words = ()  # verbs that begin what the next verb says
    light: Words = ()  # verbs that say nothing beside their object: `play badminton`
    hollow: Words = ()  # verbs that state nothing alone: `I do`
    brief: Words = ()  # verbs of what may be over soon: `have`, of a headache
    here: Words = ()  # words for what is at hand: `this song`
    often: Words = ()  # words that do: `every`
    groups: Words = ()  # what one is in for long: the choir
    attached: Words = ()  # what may follow these and goes with them: `pay for`
    fleeting: str = ""  # verbs, in their first form, that tell of the moment: `think`
    gerund: str = ""  # the ending of the form that goes with to be
    past: str = ""  # the ending of most pasts
    once: str = ""  # a regular expression for predicates of one time: `habe ... gekauft`
    denies: Words = ()  # before a value that is not meant: `not Leeds`
    butting: Words = ()  # before the one that is, behind it: `not Leeds but York`
    instead: Words = ()  # before what no longer holds: `instead of`
    roles: Words = ()  # endings of nouns whose value is a name: `internet provider`
    wrappers: Words = ()  # nouns that name what stands before them: `Netflix subscription`
    abbreviations: Words = ()
    titles: Words = ()
    traits: Words = ()  # adjectives before a relative: `my little sister`
    distinct: Words = ()  # those that tell one relative from another: `my other sister`
    former: Words = ()  # the same for one who is none any more: `my ex wife`
    adjectives: str = ""  # what somebody is who has no name: `my boss is nice`
    no_names: Words = ()  # what a relative is who is not called so: `my exam is next`
    vague: str = ""  # what is no value: `there`, `something`
    asks: Words = ()  # how a question begins that has no question mark
    marks: dict[Mark, Words]
    parts: dict[str, str] = Field(default_factory=dict)
    kin: dict[str, str]  # relatives, pets and the like: words by attribute
    things: dict[str, str]  # things that have a value: words by attribute
    compounds: Words = ()  # those of which there are several: `holiday budget`, `wifi password`
    appointments: Appointments
    verbs: dict[str, Verb]
    regular: str = ""  # verbs that happen at once, and take -s, -ed and -ing
    spellings: dict[str, str] = Field(default_factory=dict)
    same: dict[str, str] = Field(default_factory=dict)  # values that mean the same: `cigarettes` by `smoking`
    idioms: tuple[Idiom, ...] = ()
    rules: tuple[SlotRuleText, ...]
    thing_rules: tuple[ThingRuleText, ...]
