"""The tables of a language file, and what each of them means.

`languages/<code>.toml` is part of the program, read once like a module. To add a language, add a file and a table of statements
to the tests. Wordings are written as `notation.py` explains, in lower case, verbs in the form that `verbs` names first.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field

from shared.contracts.contract import Contract
from shared.statements.idioms import Idiom
from shared.statements.notation import LazyPattern

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

    same: str = Field(default="", description="Those that say the same as the form that names it.")
    past: str = Field(default="", description="Those by which it is over: `lived`.")
    coming: str = Field(default="", description="Those by which it is to come: `moving`.")
    done: bool = Field(default=False, description="Whether it happens at once: its past says what holds now.")


class SlotRuleText(Contract):
    """Wordings of a predicate, and the slot that they state of the subject."""

    slot: str = Field(description="The attribute. `@kin`, `@self`, `@name`, `@appointment`: see rule_slots.py.")
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
    be_lasts: bool = Field(default=False, description="Whether to be tells of what lasts, another verb of the moment: `soy`.")
    was: str = Field(description="The same for those of the past.")
    present: Words = Field(description="The present forms of to be, and its participle.")
    auxiliaries: Words = Field(description="Verbs that make a past with a participle: `have`.")
    clitics: dict[str, str] = Field(default_factory=dict, description="Pronouns before a verb, by that of the rules: `se`, me.")
    to_me: Words = Field(default=(), description="Pronouns before a verb whose object is the user: `mi jefe me subió`.")
    inverts: bool = Field(default=False, description="Whether `live I` is said for `I live` behind another word.")
    drops_subject: bool = Field(default=False, description="Whether a verb in its first form needs no `I`.")
    ours: str = Field(default="", description="The ending of the verbs of `we`, where they need none.")
    of_others: str = Field(default="", description="The ending of the verbs that nobody says of themselves, in the present.")
    nouns_are_capital: bool = Field(default=False, description="Whether a capital is no sign of a name.")
    favourite: Words = ()
    prepositions: Words = ()
    within: Words = Field(default=(), description="Those of what one is part of: `in the choir`.")
    numbers: dict[str, str] = Field(default_factory=dict, description="Number words, by digits.")
    hours: dict[str, str] = Field(default_factory=dict, description="Words for hours: `noon`.")
    before_hours: dict[str, int] = Field(default_factory=dict, description="Minutes by words before an hour: `half past`.")
    behind_hours: dict[str, int] = Field(default_factory=dict, description="The same for words behind it: `y media`.")
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
    clipped: str = Field(default="", description="The ending of first forms that is left out in a hurry: `ich wohn`.")
    elisions: Words = Field(default=(), description="Words that are joined to the next with an apostrophe.")
    joints: Words = Field(description="Words at which a clause may begin.")
    openers: Words = Field(default=(), description="Further words with which a clause begins: `not`, `now`.")
    breaks: Words = Field(description="Words that begin a clause that leans on another.")
    after_which: Words = Field(default=(), description="Behind which `I am` begins a clause without a comma: `moved out`.")
    cuts: Words = Field(description="With what a value ends, and something else begins.")
    closers: Words = Field(description="What may stand behind a value and only says when or how.")
    bare: Words = Field(default=(), description="Verbs that in their first form need no subject.")
    stops: Words = Field(default=(), description="Verbs that end what the next verb says.")
    alters: Words = Field(default=(), description="Verbs of change: `I changed my number, it is`.")
    switches: Words = Field(default=(), description="Verbs by which one thing takes the place of another.")
    starts: Words = Field(default=(), description="Verbs that begin what the next verb says.")
    light: Words = Field(default=(), description="Verbs that say nothing beside their object: `play badminton`.")
    hollow: Words = Field(default=(), description="Verbs that state nothing alone: `I do`.")
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
