"""The tables of a language file, and what they mean."""

from functools import cached_property

from pydantic import Field

from shared.chat.command import ChatCommandName, CommandScope
from shared.chat.cue_words import CueWords, NormalWords, listed
from shared.chat.phrases import NamedParts
from shared.contracts.contract import Contract


class RuleText(Contract):
    """A rule as the language file writes it."""

    name: ChatCommandName = Field(description="What its phrases ask for.")
    confidence: float = Field(gt=0, lt=1, description="Of a sentence that is this phrase and nothing else.")
    phrases: tuple[str, ...] = Field(min_length=1, description="With `{topic}` or `{fact}` where its words stand.")
    scope: CommandScope | None = Field(default=None, description="How far it reaches, if not as usual for its name.")
    begins: tuple[str, ...] = listed("What is captured begins with one of these words; `@name`: with a capital.")
    not_begins: tuple[str, ...] = listed("What is captured begins with none of these words.")
    contains: tuple[str, ...] = listed("What is captured has one of these words after its first.")
    not_contains: tuple[str, ...] = listed("What is captured has none of these words.")
    clear: bool = Field(default=False, description="Whether it is hardly talk, though doubtful: see `ChatCommand.is_request`.")
    asked: float = Field(default=0.3, ge=0, le=1, description="Confidence lost by a question mark, unless it was a request.")


class OpenerText(Contract):
    """A greeting or politeness that may stand before a command, as the language file writes it."""

    phrases: tuple[str, ...] = Field(min_length=1, description="Alternatives.")
    weight: float = Field(default=0.0, ge=-1, le=1, description="Confidence that it adds or takes.")
    requests: bool = Field(default=False, description="Whether a question mark after it is a request's: `could you ...?`")
    greets: bool = Field(default=False, description="Whether whom it greets may follow by name: `hey Luna`.")


class LanguageText(Contract):
    """The content of a language file."""

    cues: NormalWords = Field(description="Words one of which is in every command: a text without any is not looked at.")
    parts: dict[str, str] = Field(default={}, description="Parts of phrases, by name; `<name>` in a phrase stands for one.")
    lists: dict[str, tuple[str, ...]] = Field(
        default={}, description="Lists of words for `begins`, `not_begins`, `contains`: `<name>`."
    )
    spellings: dict[str, str] = Field(
        default={}, description="Other spellings that are no slip: `u` for `you`, `outta` for `out of`."
    )
    slips: dict[str, str] = Field(default={}, description="Common slips of short words; those of longer ones are worked out.")
    crucial: NormalWords = listed("Words of which slips are worked out even where they are short: `dont`, `save`.")
    real: tuple[str, ...] = listed("Words that look like a slip of another and are none: `forge`.")
    abbreviations: tuple[str, ...] = listed("Words whose full stop ends no sentence.")
    selves: tuple[str, ...] = Field(description="Topics that mean the person: `me`.")
    pronouns: tuple[str, ...] = Field(description="Topics that only point somewhere: `him`. They make a command doubtful.")
    openers: tuple[OpenerText, ...] = listed("What may stand before a command.")
    closers: tuple[str, ...] = listed("What may stand after a command, word for word.")
    last_closers: tuple[str, ...] = listed("The same, but kept where it ends a fact: `now`.")
    at_once: tuple[str, ...] = listed("Closers that say that it is to be done now, for good; also before a command.")
    at_once_last: tuple[str, ...] = listed("Closers that say the same, but after a topic only behind a comma: `now`.")
    for_good: tuple[str, ...] = listed("Those of them that say it after a short topic without a comma too: `for good`.")
    polite: tuple[str, ...] = listed("Words beside a command by which it is hardly talk: `please`.")
    request_closers: tuple[str, ...] = listed("Closers; a question mark after one is a request's.")
    joints: NormalWords = listed("Words after which a clause begins, as after a comma.")
    weak_joints: NormalWords = listed("Joints that without a comma seldom begin a clause.")
    trailers: NormalWords = listed("Words that after a comma begin what belongs to no topic.")
    copulas: NormalWords = listed("Words by which what stands between two commas says something: it belongs to no topic.")
    reasons: NormalWords = listed("Words that begin a reason, with or without a comma.")
    conditions: NormalWords = listed("Words after a command that make it one for later: `when`.")
    blockers: tuple[str, ...] = listed("Phrases after which, in a sentence, someone is cited or supposed.")
    announcements: tuple[str, ...] = listed(
        "Phrases that hand over a text: what is said after them is no order, or a doubtful one."
    )
    letters: NormalWords = listed("First words of a letter: what follows is doubtful.")
    signatures: tuple[str, ...] = listed("Sentences that end a letter: what stands before is doubtful.")
    attributions: tuple[str, ...] = listed("What, after the last comma of a sentence, says that it was somebody else's words.")
    suppositions: NormalWords = listed("Words in a topic that make a command a supposed one: `if`.")
    withholds: tuple[str, ...] = listed("What asks not to keep the turn that it stands in; alone it means what went before.")
    announces: tuple[str, ...] = listed("The same where a clause begins; alone it means the next turn: `off the record`.")
    points_back: tuple[str, ...] = listed("Phrases that, where a sentence begins, say that it is about what went before.")
    alone: tuple[str, ...] = listed("The same as a clause of its own at a sentence's end: `don't save`.")
    labels: tuple[str, ...] = listed("The same where a message begins, before a colon or comma; alone it means nothing.")
    figures: tuple[str, ...] = listed(
        "Figures of speech that, as a whole clause, may ask it: `burn this`, `it dies with this chat`."
    )
    moods: tuple[str, ...] = listed("The same; alone it means the next turn: `goldfish mode`.")
    leads: tuple[str, ...] = listed("The same where a message begins; alone it means nothing: `eyes only`.")
    cued: CueWords = Field(default=CueWords(), description="Words by which other wishes of this kind are told.")
    frames: NormalWords = listed("Words of a polite request, before `withholds`: `would it be possible that you`.")
    frame_marks: NormalWords = listed("Words one of which is in every such request.")
    goes_on: NormalWords = listed("Words that may follow these without a comma.")
    together: NormalWords = listed("Words that, right after `announces`, make it none: `between us we have four cats`.")
    speaks: NormalWords = listed("Words after which `withholds` are no request: the `I` of `I don't save this`.")
    earlier: tuple[str, ...] = listed("Words by which `forget that` means what went before: `my last message`.")
    retells: NormalWords = listed("Words that, before `forget that`, speak of what went before: `I said something stupid`.")
    talk_alone: tuple[str, ...] = listed("What of `withholds` is talk where nothing is said beside it: `it is a secret`.")
    retractions: tuple[str, ...] = listed("Phrases that, beginning the next sentence, take a command back.")
    rules: tuple[RuleText, ...] = Field(min_length=1, description="What is a command.")
    answers: tuple[RuleText, ...] = listed("What answers a question asked back, and is nothing by itself.")
    taking_back: tuple[RuleText, ...] = listed("What takes back a forgetting right after it, and means little by itself.")
    say: dict[str, dict[str, str]] = Field(
        description="By command, or `any`; by outcome, `_about` added where there is a topic, `_which` to say what goes."
    )

    @cached_property
    def named_parts(self) -> NamedParts:
        """The parts, each to be parsed once for all phrases that name it."""
        return NamedParts(self.parts)
