"""`[commands]` of a language's file: its tables, and what they mean."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from shared.language.commands.command import ChatCommandName, CommandScope
from shared.language.commands.phrases import NamedParts, normal
from shared.language.tables import LanguagePart, Phrases, Section


def _normal_words(value: object) -> object:
    return frozenset(normal(word.strip()) for word in value.split(";")) if isinstance(value, str) else value


def _named(value: object) -> object:
    """Put the name of each rule, which the file writes once above its rules, into the rule."""
    if not isinstance(value, Mapping):
        return value
    return [{"name": name, **rule} for name, rules in value.items() for rule in rules]


NormalWords = Annotated[frozenset[str], BeforeValidator(_normal_words)]
"""Words in the form in which phrases see them."""
NO_WORDS: frozenset[str] = frozenset()


class RuleText(Section):
    """A rule as the language file writes it."""

    name: ChatCommandName  # what its phrases ask for; in the file it is the name of the table
    confidence: float = Field(gt=0, lt=1)  # of a sentence that is this phrase and nothing else
    phrases: Phrases = Field(min_length=1)  # with `{topic}` or `{fact}` where its words stand
    scope: CommandScope | None = None  # how far it reaches, if not as usual for its name
    begins: Phrases = ()  # what is captured begins with one of these words; `@name`: with a capital
    not_begins: Phrases = ()  # what is captured begins with none of these words
    contains: Phrases = ()  # what is captured has one of these words after its first
    not_contains: Phrases = ()  # what is captured has none of these words
    clear: bool = False  # whether it is hardly talk, though doubtful: see `ChatCommand.is_request`
    asked: float = Field(default=0.3, ge=0, le=1)  # confidence lost by a question mark, unless it was a request


class OpenerText(Section):
    """A greeting or politeness that may stand before a command, as the language file writes it."""

    phrases: Phrases = Field(min_length=1)  # alternatives
    weight: float = Field(default=0.0, ge=-1, le=1)  # confidence that it adds or takes
    requests: bool = False  # whether a question mark after it is a request's: `could you ...?`
    greets: bool = False  # whether whom it greets may follow by name: `hey Luna`


Rules = Annotated[tuple[RuleText, ...], BeforeValidator(_named)]
"""Rules, in the file as lists by their name."""


class LanguageText(LanguagePart):
    """`[commands]` of a language's file."""

    part: ClassVar[str] = "commands"
    parts: dict[str, str] = Field(default_factory=dict)  # parts of phrases, by name; `<name>` in a phrase stands for one
    lists: dict[str, Phrases] = Field(default_factory=dict)
    """Lists of words for `begins`, `not_begins`, `contains`: `<name>`."""
    spellings: dict[str, str] = Field(default_factory=dict)
    """Other spellings that are no slip: `u` for `you`, `outta` for `out of`."""
    abbreviations: Phrases = ()  # words whose full stop ends no sentence
    selves: Phrases  # topics that mean the person: `me`
    pronouns: Phrases  # topics that only point somewhere: `him`. They make a command doubtful
    openers: tuple[OpenerText, ...] = ()  # what may stand before a command
    closers: Phrases = ()  # what may stand after a command, word for word
    last_closers: Phrases = ()  # the same, but kept where it ends a fact: `now`
    at_once: Phrases = ()  # closers that say that it is to be done now, for good; also before a command
    at_once_last: Phrases = ()  # closers that say the same, but after a topic only behind a comma: `now`
    for_good: Phrases = ()  # those of them that say it after a short topic without a comma too: `for good`
    polite: Phrases = ()  # words beside a command by which it is hardly talk: `please`
    request_closers: Phrases = ()  # closers; a question mark after one is a request's
    joints: NormalWords = NO_WORDS  # words after which a clause begins, as after a comma
    weak_joints: NormalWords = NO_WORDS  # joints that without a comma seldom begin a clause
    trailers: NormalWords = NO_WORDS  # words that after a comma begin what belongs to no topic
    copulas: NormalWords = NO_WORDS  # words by which what stands between two commas says something: it belongs to no topic
    reasons: NormalWords = NO_WORDS  # words that begin a reason, with or without a comma
    conditions: NormalWords = NO_WORDS  # words after a command that make it one for later: `when`
    blockers: Phrases = ()  # phrases after which, in a sentence, someone is cited or supposed
    announcements: Phrases = ()  # phrases that hand over a text: what is said after them is no order, or a doubtful one
    letters: NormalWords = NO_WORDS  # first words of a letter: what follows is doubtful
    signatures: Phrases = ()  # sentences that end a letter: what stands before is doubtful
    attributions: Phrases = ()  # what, after the last comma of a sentence, says that it was somebody else's words
    suppositions: NormalWords = NO_WORDS  # words in a topic that make a command a supposed one: `if`
    retractions: Phrases = ()  # phrases that, beginning the next sentence, take a command back
    rules: Rules = Field(min_length=1)  # what is a command
    answers: Rules = ()  # what answers a question asked back, and is nothing by itself
    taking_back: Rules = ()  # what takes back a forgetting right after it, and means little by itself
    say: dict[str, dict[str, str]]
    """By command, or `any`; by outcome, `_about` added where there is a topic, `_which` to say what goes."""

    @cached_property
    def named_parts(self) -> NamedParts:
        """The parts, each to be parsed once for all phrases that name it."""
        return NamedParts(self.parts)
