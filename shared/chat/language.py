"""A language file: what its tables mean, and the file checked and made ready.

`languages/<code>.toml` is part of the program, read once like a module. To add a language, add a file (its tables are the
fields below; phrases are written as in `phrases.py`) and a table of sentences to the tests. An operator's own file is taken in
once, before anything is read.
"""

import functools
import re
import tomllib
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from pydantic import Field, ValidationError

from shared.chat import phrases
from shared.chat.asks import FIGURES, Asks, rarest_words, whole_clause
from shared.chat.command import ChatCommandName, CommandScope
from shared.chat.cue_words import CueWords, NormalWords, listed
from shared.chat.slips import crucial_slips, slips
from shared.chat.wish_words import WishWords, kinds_of_wishes
from shared.contracts.contract import Contract
from shared.contracts.errors import Misconfigured
from shared.text.frequency import heard_words

SHIPPED_LANGUAGES = ("en", "de", "es", "fr")
"""The codes of the language files here."""
NAME = "@name"
"""In `begins`, stands for any word that is written like a name."""

_CODE = re.compile(r"[a-z]{2,3}")
_WORDS = re.compile(r"[^\W_]+")
_CAPTURE = re.compile(r"\(\?P<\w+>")
_BEGIN = r"(?:^|(?<= ))"


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


@dataclass(frozen=True, slots=True)
class PhraseRule:
    """One phrase of a rule, ready to match."""

    text: RuleText
    expression: str
    capture: str | None
    """Name of what the phrase captures: `topic` or `fact`."""
    cues: frozenset[str]
    """Words of which every match has at least one; empty for answers."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """The regular expression, compiled at first use: most are never used, and compiling all would take half a second."""
        return _compiled(self.expression)


@dataclass(frozen=True, slots=True)
class WithholdingPhrase:
    """One phrase that asks not to keep a turn, ready to match."""

    asks: Asks
    expression: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The regular expression, compiled at first use."""
        return _compiled(self.expression)


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
    points_back: re.Pattern[str]
    retractions: re.Pattern[str]
    talk_alone: re.Pattern[str]
    requests: dict[str, tuple[WithholdingPhrase, ...]]
    """What asks not to keep a turn, by first word."""
    withholding: frozenset[str]
    """Cues one of which is in every request not to keep a turn."""
    wishes: WishWords
    """The words of such requests."""
    forgets: WishWords
    """The words of commands by which what the message itself tells may be meant: `forget that`."""
    phrased: frozenset[str]
    """Those of them one of which is in every such request that is a phrase."""
    goes_on: frozenset[str]
    """What may follow a request not to keep something."""
    meant: dict[str, str]
    """The correct word, by other spelling or slip."""
    slips: frozenset[str]
    cues: frozenset[str]
    breaks: frozenset[str]
    """Words before which a command without a topic may end, although its clause goes on."""
    topic_breaks: frozenset[str]

    def may_command(self, text: str) -> bool:
        """True if a text has any cue of a command. Fast, and never false for a command."""
        return not self.cues.isdisjoint(_WORDS.findall(text.lower()))

    def may_withhold(self, words: AbstractSet[str]) -> bool:
        """True if a text of these words, or more, may ask not to keep it. Fast, and never false for one that does."""
        if self.withholding.isdisjoint(words):
            return False
        meant = words - (slips := self.meant.keys() & words) | {word for slip in slips for word in self.meant[slip].split()}
        return self.wishes.may_be_in(meant) or self.forgets.may_be_in(meant)


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
        _source(code)


@functools.cache
def _shipped(code: str) -> Language:
    return make(code, _source(code).read_text(encoding="utf-8"))


def _source(code: str) -> Traversable:
    source = resources.files(__package__).joinpath("languages", f"{code}.toml")
    if not _CODE.fullmatch(code) or not source.is_file():
        raise Misconfigured(f"there is no language file for {code!r}")
    return source


def make(code: str, document: str) -> Language:
    """A language from its document. Raises Misconfigured, naming what is wrong."""
    try:
        text = LanguageText.model_validate(tomllib.loads(document))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise Misconfigured(f"the language file {code}.toml cannot be used: {error}") from error
    rules, answers = _parsed(text.rules, text), _parsed(text.answers, text)
    _check(rules, text.cues)
    taking_back = _parsed(text.taking_back, text)
    figures = (phrases.parse(phrase, text.parts) for asks in FIGURES for phrase in getattr(text, asks.value))
    cues = text.cues | text.cued.least | rarest_words(figures)
    requests = _parsed_requests(text, cues)
    known = {word for _, parsed in (*rules, *answers, *taking_back) for word in phrases.words(parsed)}
    told = {word for _, parsed in requests for word in phrases.words(parsed)}
    others = known | told | text.cued.doubts.weighed | text.cued.bygone.every | text.cued.least | text.spellings.keys()
    slipped = crucial_slips(text.crucial, real=others | frozenset(text.real) | heard_words())
    meant = (slipped := slipped | slips(known, real=frozenset(text.real) | (told - known)) | text.slips) | text.spellings
    withholding = cues & (told | text.cued.least)
    return Language(
        code=code,
        text=text,
        rules=_by_first_word(rules, text.cues),
        answers=_by_first_word([*answers, *(rule for rule in rules if rule[0].name in _ANSWERS)], frozenset()),
        taking_back=_by_first_word(taking_back, frozenset()),
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
        points_back=_pattern(text.points_back, text),
        retractions=_pattern(text.retractions, text),
        talk_alone=_pattern(text.talk_alone, text),
        requests=_requests(requests, text),
        withholding=withholding | {slip for slip, words in meant.items() if not withholding.isdisjoint(words.split())},
        wishes=WishWords((phrase for _, phrase in requests), kinds_of_wishes(text.cued)),
        forgets=WishWords(phrase for rule, phrase in rules if rule.name is ChatCommandName.FORGET_THAT),
        phrased=cues & told,
        goes_on=text.goes_on | text.joints | {",", ":"},
        meant=meant,
        slips=frozenset(slipped),
        cues=cues | {slip for slip, words in meant.items() if not cues.isdisjoint(words.split())},
        breaks=text.joints | text.reasons | text.conditions | {","},
        topic_breaks=text.reasons | {",", ":"},
    )


_ANSWERS = frozenset((ChatCommandName.CONFIRM, ChatCommandName.DECLINE))
_Parsed = tuple[RuleText, phrases.Phrase]


@functools.cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


def _parsed(rules: tuple[RuleText, ...], text: LanguageText) -> list[_Parsed]:
    return [(_with_lists(rule, text), phrases.parse(phrase, text.parts)) for rule in rules for phrase in rule.phrases]


def _with_lists(rule: RuleText, text: LanguageText) -> RuleText:
    def words(some: tuple[str, ...]) -> tuple[str, ...]:
        lists = (text.lists[name[1:-1]] if name.startswith("<") else (name,) for name in some)
        return tuple(phrases.normal(word) for words in lists for word in words)

    names = ("begins", "not_begins", "contains", "not_contains")
    return rule.model_copy(update={name: words(getattr(rule, name)) for name in names})


def _check(rules: list[_Parsed], cues: frozenset[str]) -> None:
    for rule, parsed in rules:
        said = phrases.expression(parsed)
        if not phrases.always_has(parsed, cues):
            raise Misconfigured(f"a phrase of {rule.name} can be said without a cue, so it would not be read: {said}")
        if not set(names := list(phrases.named(parsed))) <= {"topic", "fact"} or len(names) > 1:
            raise Misconfigured(f"a phrase of {rule.name} may have one {{topic}} or one {{fact}}: {said}")


def _parsed_requests(text: LanguageText, cues: frozenset[str]) -> list[tuple[Asks, phrases.Phrase]]:
    parsed = [(asks, phrase, phrases.parse(phrase, text.parts)) for asks in Asks for phrase in getattr(text, asks.value)]
    for asks, phrase, found in parsed:
        if not phrases.always_has(found, cues):
            raise Misconfigured(f"a phrase of {asks.value} can be said without a cue, so it would not be read: {phrase}")
    return [(asks, found) for asks, _, found in parsed]


def _requests(requests: list[tuple[Asks, phrases.Phrase]], text: LanguageText) -> dict[str, tuple[WithholdingPhrase, ...]]:
    found: dict[str, list[WithholdingPhrase]] = {}
    for asks, parsed in requests:
        made = WithholdingPhrase(asks, phrases.expression(parsed) + _ending(asks, text))
        for word in phrases.first_words(parsed):
            found.setdefault(word, []).append(made)
    return {word: tuple(some) for word, some in found.items()}


def _ending(asks: Asks, text: LanguageText) -> str:
    doubts = text.cued.doubts
    following = text.joints | text.reasons | (frozenset() if asks is Asks.AS_A_LEAD else doubts.mine)
    return whole_clause(doubts.finals, following) if asks in FIGURES else ""


def _by_first_word(rules: list[_Parsed], cues: frozenset[str]) -> dict[str, tuple[PhraseRule, ...]]:
    found: dict[str, list[PhraseRule]] = {}
    for text, parsed in sorted(rules, key=lambda rule: -rule[0].confidence):
        capture = next(phrases.named(parsed), None)
        rule = PhraseRule(text, phrases.expression(parsed), capture, cues.intersection(phrases.words(parsed)))
        for word in phrases.first_words(parsed):
            found.setdefault(word, []).append(rule)
    return {word: tuple(some) for word, some in found.items()}


def _openers(text: LanguageText) -> dict[str, tuple[Opener, ...]]:
    found: dict[str, list[Opener]] = {}
    for opener in text.openers:
        for phrase in opener.phrases:
            parsed = phrases.parse(phrase, text.parts)
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
    options = "|".join(phrases.expression(phrases.parse(phrase, text.parts)) for phrase in some)
    options = _CAPTURE.sub("(?:", options)
    return re.compile(f"{begin}(?:{options})" if options else r"(?!)")
