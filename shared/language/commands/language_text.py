"""The tables of a language file, and what they mean."""

from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, Field

from shared.contracts.contract import Contract
from shared.language.commands.command import ChatCommandName, CommandScope
from shared.language.commands.phrases import NamedParts, normal

NormalWords = Annotated[frozenset[str], AfterValidator(lambda words: frozenset(map(normal, words)))]
"""Words in the form in which phrases see them."""
NO_WORDS: frozenset[str] = frozenset()


class RuleText(Contract):
    """A rule as the language file writes it."""

    name: ChatCommandName  # what its phrases ask for
    confidence: float = Field(gt=0, lt=1)  # of a sentence that is this phrase and nothing else
    phrases: tuple[str, ...] = Field(min_length=1)  # with `{topic}` or `{fact}` where its words stand
    scope: CommandScope | None = None  # how far it reaches, if not as usual for its name
    begins: tuple[str, ...] = ()  # what is captured begins with one of these words; `@name`: with a capital
    not_begins: tuple[str, ...] = ()  # what is captured begins with none of these words
    contains: tuple[str, ...] = ()  # what is captured has one of these words after its first
    not_contains: tuple[str, ...] = ()  # what is captured has none of these words
    clear: bool = False  # whether it is hardly talk, though doubtful: see `ChatCommand.is_request`
    asked: float = Field(default=0.3, ge=0, le=1)  # confidence lost by a question mark, unless it was a request


class OpenerText(Contract):
    """A greeting or politeness that may stand before a command, as the language file writes it."""

    phrases: tuple[str, ...] = Field(min_length=1)  # alternatives
    weight: float = Field(default=0.0, ge=-1, le=1)  # confidence that it adds or takes
    requests: bool = False  # whether a question mark after it is a request's: `could you ...?`
    greets: bool = False  # whether whom it greets may follow by name: `hey Luna`


class LanguageText(Contract):
    """The content of a language file."""

    parts: dict[str, str] = Field(default_factory=dict)  # parts of phrases, by name; `<name>` in a phrase stands for one
    lists: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Lists of words for `begins`, `not_begins`, `contains`: `<name>`."""
    spellings: dict[str, str] = Field(default_factory=dict)
    """Other spellings that are no slip: `u` for `you`, `outta` for `out of`."""
    abbreviations: tuple[str, ...] = ()  # words whose full stop ends no sentence
    selves: tuple[str, ...]  # topics that mean the person: `me`
    pronouns: tuple[str, ...]  # topics that only point somewhere: `him`. They make a command doubtful
    openers: tuple[OpenerText, ...] = ()  # what may stand before a command
    closers: tuple[str, ...] = ()  # what may stand after a command, word for word
    last_closers: tuple[str, ...] = ()  # the same, but kept where it ends a fact: `now`
    at_once: tuple[str, ...] = ()  # closers that say that it is to be done now, for good; also before a command
    at_once_last: tuple[str, ...] = ()  # closers that say the same, but after a topic only behind a comma: `now`
    for_good: tuple[str, ...] = ()  # those of them that say it after a short topic without a comma too: `for good`
    polite: tuple[str, ...] = ()  # words beside a command by which it is hardly talk: `please`
    request_closers: tuple[str, ...] = ()  # closers; a question mark after one is a request's
    joints: NormalWords = NO_WORDS  # words after which a clause begins, as after a comma
    weak_joints: NormalWords = NO_WORDS  # joints that without a comma seldom begin a clause
    trailers: NormalWords = NO_WORDS  # words that after a comma begin what belongs to no topic
    copulas: NormalWords = NO_WORDS  # words by which what stands between two commas says something: it belongs to no topic
    reasons: NormalWords = NO_WORDS  # words that begin a reason, with or without a comma
    conditions: NormalWords = NO_WORDS  # words after a command that make it one for later: `when`
    blockers: tuple[str, ...] = ()  # phrases after which, in a sentence, someone is cited or supposed
    announcements: tuple[str, ...] = ()  # phrases that hand over a text: what is said after them is no order, or a doubtful one
    letters: NormalWords = NO_WORDS  # first words of a letter: what follows is doubtful
    signatures: tuple[str, ...] = ()  # sentences that end a letter: what stands before is doubtful
    attributions: tuple[str, ...] = ()  # what, after the last comma of a sentence, says that it was somebody else's words
    suppositions: NormalWords = NO_WORDS  # words in a topic that make a command a supposed one: `if`
    retractions: tuple[str, ...] = ()  # phrases that, beginning the next sentence, take a command back
    rules: tuple[RuleText, ...] = Field(min_length=1)  # what is a command
    answers: tuple[RuleText, ...] = ()  # what answers a question asked back, and is nothing by itself
    taking_back: tuple[RuleText, ...] = ()  # what takes back a forgetting right after it, and means little by itself
    say: dict[str, dict[str, str]]
    """By command, or `any`; by outcome, `_about` added where there is a topic, `_which` to say what goes."""

    @cached_property
    def named_parts(self) -> NamedParts:
        """The parts, each to be parsed once for all phrases that name it."""
        return NamedParts(self.parts)
