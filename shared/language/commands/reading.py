"""Reads what a person's message asks the memory to do.

A sentence is a command when a rule fits it whole, but for politeness; a later clause of it may be one at a lower confidence.
What is quoted, cited, code or supposed is none. Below `SURE` a command is doubtful, and the person is to be asked.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from shared.language.commands.command import FLOOR, ChatCommand, ChatCommandName
from shared.language.commands.language import Language, language
from shared.language.commands.line import Line, line, words_in
from shared.language.commands.matching import CERTAIN, PlacedCommand, best, without_openers
from shared.language.commands.wish_reading import with_wishes
from shared.language.commands.wishes import may_wish
from shared.language.text.length import edges
from shared.language.text.sentences import MessageSentence, message_sentences

LONGEST_CHARACTERS = 1_000
"""A longer sentence is no command and is left out."""
_MOST_SENTENCES = 40
"""Of a message with more sentences, only the first and last 20 are read."""
_NEAR_EDGE = 3
_BURIED = 0.2
_RETRACTED = 0.3
_HANDED_OVER = 0.35
"""Confidence to subtract if the sentence may belong to a text that the user only shows."""
_MOST_SIGNATURES = 3
_EXCLAIMED = 0.12
"""Confidence to subtract after a question of the user's own: `50 euros? Forget that!`. With `please` it stays a command."""
_LONGEST_ATTRIBUTION, _LONGEST_AMID = 5, 3
"""Words, at the end of a sentence and amid it."""
_JOINED = 0.3
"""Confidence to add if the clause before is the fact to remember."""
_WEAKLY_JOINED = 0.35
_SHORTEST_FACT = 2
_MORE_IN_ANSWER = 0.15
_LONGEST_ANSWER = 500
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}", re.IGNORECASE)
_MOST_OF_TAKING_BACK = 3
"""Sentences: `Oops! I did not mean that. Bring it back.`"""
_AROUND = " ,;:.!()–—-"


def read_chat_command(text: str, *, languages: Sequence[str] = ("en",)) -> ChatCommand | None:
    """The command of a message: the first sure one, else the most confident of the doubtful ones, else None.

    Raises Misconfigured for a language without a file.

    >>> read_chat_command("I broke up with Bob. Please forget what I said about Bob.").topic
    'Bob'
    """
    commands = read_chat_commands(text, languages=languages)
    sure = next((command for command in commands if command.is_sure), None)
    return sure or max(commands, key=lambda command: command.confidence, default=None)


def read_chat_commands(text: str, *, languages: Sequence[str] = ("en",)) -> tuple[ChatCommand, ...]:
    """All commands of a message, doubtful ones too, in the order in which they were said, in the language that fits best.

    Of a text that is too long to be read, its beginning and its end are looked at.
    """
    text = edges(text)
    words = words_in(text)
    readings = [tuple(_read(text, known)) for known in map(language, languages) if known.may_be_read(words)]
    found = max(readings, key=lambda commands: max((one.confidence for one in commands), default=0.0), default=())
    if not may_wish(text, words):
        return found
    known = language(languages[0])
    said = list(message_sentences(text, abbreviations=known.text.abbreviations))
    half = _MOST_SENTENCES // 2
    said = said if len(said) <= _MOST_SENTENCES else [*said[:half], *said[-half:]]
    return with_wishes(found, said, text, languages, lambda: _own(said, known))


def split_message(text: str, known: Language) -> Iterator[MessageSentence]:
    """Yield the sentences of a message that may be commands; a longer one is none."""
    return message_sentences(text, abbreviations=known.text.abbreviations, most_characters=LONGEST_CHARACTERS)


def may_ask(text: str, languages: Sequence[str]) -> bool:
    """True if a text has the words of any question about what is remembered. Fast, and never false for one."""
    words = words_in(edges(text))
    return any(language(code).may_ask(words) for code in languages)


def may_withhold(text: str, languages: Sequence[str]) -> bool:
    """True if a text has any word of a wish not to be kept, in whatever language. Fast, and never false for one."""
    words = words_in(text)
    return may_wish(text, words) or any(language(code).may_be_read(words) for code in languages)


def read_answer(text: str, *, languages: Sequence[str] = ("en",)) -> ChatCommand | None:
    """Read the answer to a question that was asked back: `confirm`, `decline`, or None for anything else.

    Of a person whose memory is off, `turn it back on` is a doubtful `memory_on`.
    Call it before `read_chat_command` while a question is open. "Forget it" is None: it may mean both.

    >>> read_answer("Yes please!").name
    <ChatCommandName.CONFIRM: 'confirm'>
    """
    found = [answer for answer in (_answer(text, language(code)) for code in languages) if answer]
    return max(found, key=lambda answer: answer.confidence, default=None)


def read_taking_back(text: str, *, languages: Sequence[str] = ("en",)) -> ChatCommand | None:
    """Read a short message as one that takes back what was just forgotten: `undo that`. None for anything else.

    Call it only where something was just forgotten: elsewhere such words mean something else.

    >>> read_taking_back("No wait, bring it back!").name
    <ChatCommandName.TAKE_BACK: 'take_back'>
    """
    found = [read for code in languages if (read := _taking_back(text, language(code)))]
    return max(found, key=lambda read: read.confidence, default=None)


class Beside(NamedTuple):
    """What a message says beside a command."""

    before: tuple[str, ...]  # in clauses and sentences
    after: tuple[str, ...]


def said_beside(text: str, command: ChatCommand) -> Beside:
    """What a message states before and after a command that was read in it; neither questions nor other commands.

    >>> said_beside("I moved, so forget what I said about Leeds, it's York now.", ChatCommand("forget_about", topic="Leeds"))
    Beside(before=('I moved',), after=("it's York now",))
    """
    known = language(command.language)
    before: list[str] = []
    after: list[str] = []
    has_come = False
    for said in split_message(edges(text), known):
        spoken = line(said, known)
        found = next(_commands(spoken, known), None) if known.may_be_read(words_in(said.shown)) else None
        if found is None and not said.is_question:
            (after if has_come else before).append(spoken.written(0, len(spoken.words)))
        elif found is not None and found.command.topic == command.topic:
            has_come = True
            end = _before_joint(spoken, found.start, known)
            before.append(spoken.written(without_openers(spoken, 0, end, known), end))
            topic = found.command.topic or spoken.said.text
            is_said = spoken.written(found.start, found.end).partition(topic)[2].strip(_AROUND)
            after.append(" ".join(spoken.said.text.split()).partition(topic)[2].strip(_AROUND) if is_said else "")
    return Beside(tuple(filter(None, before)), tuple(filter(None, after)))


def _drawn_in(text: str) -> str:
    """A text without letters that are drawn out.

    >>> _drawn_in("Noooo wait"), _drawn_in("keep it")
    ('No wait', 'keep it')
    """
    return _DRAWN_OUT.sub(r"\1", text)


def _answer(text: str, known: Language) -> ChatCommand | None:
    said = list(split_message(_drawn_in(text[:_LONGEST_ANSWER]), known))
    if not said:
        return None
    first = line(said[0], known)
    found = best(first, 0, len(first.words), rules=known.answers, language=known)
    if not found:
        return None
    return _less_sure(found.command, _MORE_IN_ANSWER if len(said) > 1 else 0.0)


def _taking_back(text: str, known: Language) -> ChatCommand | None:
    """How a message of few sentences takes something back: one clause may say only in part what another one says as well."""
    said = list(split_message(_drawn_in(text[:_LONGEST_ANSWER]), known))
    if not 0 < len(said) <= _MOST_OF_TAKING_BACK:
        return None
    clauses = [(spoken, start) for spoken in (line(each, known) for each in said) for start in spoken.starts]
    read = (best(spoken, at, len(spoken.words), rules=known.taking_back, language=known) for spoken, at in clauses)
    found = sorted((each.command for each in read if each), key=lambda command: -command.confidence)
    if len(found) > 1:
        return replace(found[0], confidence=round(min(CERTAIN, found[0].confidence + _MORE_IN_ANSWER), 2))
    return found[0] if found else None


def _read(text: str, known: Language) -> Iterator[ChatCommand]:
    said = list(split_message(text, known))
    half = _MOST_SENTENCES // 2
    earlier_at = cache(lambda at: _earlier(said[at], known))  # each stands before all later ones
    for index, sentence in enumerate(said):
        if half <= index < len(said) - half or not known.may_be_read(words_in(sentence.shown)):
            continue
        spoken = line(sentence, known)
        commands = list(_commands(spoken, known))
        if not commands or _is_attributed(spoken, known):
            continue
        before = [earlier_at(at) for at in range(index) if at < half or at >= index - half]
        if _is_cited(spoken, before):
            continue
        shown = _shown(spoken, before, said[index + 1 :], known) + (_RETRACTED if _is_retracted(said, index, known) else 0.0)
        buried = _BURIED if _NEAR_EDGE <= index < len(said) - _NEAR_EDGE else 0.0
        for found in commands:
            command = _completed(found, spoken, said, index, known)
            exclaimed = _exclaimed(said, index) if command.name is ChatCommandName.FORGET_THAT else 0.0
            if likely := _less_sure(command, shown + buried + exclaimed):
                yield likely


def _own(said: Sequence[MessageSentence], known: Language) -> list[MessageSentence]:
    """Return the sentences that are their person's own words."""
    earlier = [_earlier(sentence, known) for sentence in said]
    return [
        sentence
        for index, sentence in enumerate(said)
        if not (_is_attributed(spoken := line(sentence, known), known) or _is_cited(spoken, earlier[:index]))
    ]


def _is_retracted(said: Sequence[MessageSentence], index: int, known: Language) -> bool:
    """Whether the next sentence takes back what this one asks for."""
    following = line(said[index + 1], known).words if index + 1 < len(said) else ""
    return known.retractions.match(following) is not None


class _Earlier(NamedTuple):
    """What the sentences read so far mean for those that follow."""

    said: MessageSentence
    announces: bool  # a text
    has_begun: bool  # the text, after a colon
    is_salutation: bool
    cites: bool  # somebody, before a colon
    has_colon: bool


def _earlier(said: MessageSentence, known: Language) -> _Earlier:
    spoken = line(said, known)
    words, announced = spoken.words, known.announcements.search(spoken.words)
    has_colon = ":" in words
    return _Earlier(
        said,
        announces=announced is not None,
        has_begun=announced is not None and ":" in words[announced.start() :],
        is_salutation=spoken.word(0) in known.text.letters,
        cites=(has_colon or said.shown.endswith(":")) and known.blockers.search(words) is not None,
        has_colon=has_colon,
    )


def _is_cited(spoken: Line, before: Sequence[_Earlier]) -> bool:
    """True if an earlier sentence announces this one as somebody's words or as a text to work on: `He told me:`."""
    if before and before[-1].said.shown.endswith(":") and before[-1].cites:
        return True
    return any(one.has_begun or (one.announces and one.said.line < spoken.said.line) for one in before)


def _shown(spoken: Line, before: Sequence[_Earlier], after: Sequence[MessageSentence], known: Language) -> float:
    """Confidence to subtract when the sentence may be quoted text."""
    first = spoken.word(spoken.words.startswith(", ") * 2)
    is_signed = any(known.signatures.fullmatch(line(sentence, known).words) for sentence in after[-_MOST_SIGNATURES:])
    may_be = (
        is_signed
        or first in known.text.letters
        or any(
            one.is_salutation or one.announces or (one.said.line == spoken.said.line and one.has_colon and one.cites)
            for one in before
        )
    )
    return _HANDED_OVER if may_be else 0.0


def _is_attributed(spoken: Line, known: Language) -> bool:
    """True if a sentence is somebody's words: `forget that, said my aunt`, `don't save it, she said, and left`."""
    _, *later = spoken.words.split(" , ")
    longest = (*(_LONGEST_AMID for _ in later[1:]), _LONGEST_ATTRIBUTION)
    return any(
        len(clause.split()) <= most and known.attributions.fullmatch(f"{clause.strip()} ")
        for clause, most in zip(later, longest, strict=False)
    )


def _exclaimed(said: list[MessageSentence], index: int) -> float:
    """Confidence to subtract when the sentence may answer the user's own question."""
    before = said[index - 1] if index else None
    return _EXCLAIMED if before and before.is_question and before.line == said[index].line else 0.0


def _commands(spoken: Line, known: Language) -> Iterator[PlacedCommand]:
    block = known.blockers.search(spoken.words)
    limit = block.end() if block else len(spoken.words)
    starts = [start for start in spoken.starts if start < limit]
    done = 0
    has_command = False
    for index, start in enumerate(starts):
        if start < done:
            continue
        found = best(spoken, start, len(spoken.words), rules=known.rules, language=known)
        if found:
            found = _up_to_next(found, spoken, starts[index + 1 :], known)
            lost = 0.0 if has_command else _weakly_joined(spoken, start, known)
            done, has_command = found.end, True
            if command := _less_sure(found.command, lost):
                yield replace(found, command=command)


def _up_to_next(found: PlacedCommand, spoken: Line, starts: list[int], known: Language) -> PlacedCommand:
    """The command without another one at the end of its topic: `forget Bob, and turn memory off`."""
    for start in starts:
        end = _before_joint(spoken, start, known)
        if found.start < end <= found.end:
            following = best(spoken, start, len(spoken.words), rules=known.rules, language=known)
            if following and following.command.is_sure:
                shorter = best(spoken, found.start, end, rules=known.rules, language=known)
                if shorter:
                    return shorter
    return found


def _weakly_joined(spoken: Line, start: int, known: Language) -> float:
    """Confidence to subtract when only `and` separates the clause from the one before: `get lost and forget that`."""
    before = spoken.words[:start].split()
    return _WEAKLY_JOINED if len(before) > 1 and before[-1] in known.text.weak_joints and before[-2] != "," else 0.0


def _before_joint(spoken: Line, start: int, known: Language) -> int:
    before = spoken.words[:start].split()
    while before and (before[-1] == "," or before[-1] in known.text.joints):
        before.pop()
    return sum(len(word) + 1 for word in before)


def _completed(found: PlacedCommand, spoken: Line, said: list[MessageSentence], index: int, known: Language) -> ChatCommand:
    """The command with its fact, if that stands in the sentence before (`I'm vegan. Remember that.`) or after it."""
    command = found.command
    if command.name is ChatCommandName.PIN_THAT and not command.fact and spoken.said.shown.endswith(":"):
        announced = _fact(said, index + 1, known)
        return replace(command, fact=announced) if len(announced.split()) >= _SHORTEST_FACT else command
    if command.name is not ChatCommandName.REMEMBER_THAT or command.fact:
        return command
    end = _before_joint(spoken, found.start, known)
    before = spoken.written(without_openers(spoken, 0, end, known), end)
    if before:
        command = replace(command, confidence=round(min(CERTAIN, command.confidence + _JOINED), 2))
    elif spoken.said.shown.endswith(":"):
        before = _fact(said, index + 1, known)
    else:
        before = _fact(said, index - 1, known) or _fact(said, index + 1, known)
    return replace(command, fact=before) if len(before.split()) >= _SHORTEST_FACT else command


def _fact(said: list[MessageSentence], index: int, known: Language) -> str:
    """The text of the sentence at `index`, if it states something."""
    if not 0 <= index < len(said) or said[index].is_question:
        return ""
    stated = line(said[index], known)
    return "" if next(_commands(stated, known), None) else stated.written(0, len(stated.words), keeps_emoji=True)


def _less_sure(command: ChatCommand, lost: float) -> ChatCommand | None:
    confidence = round(command.confidence - lost, 2)
    return replace(command, confidence=confidence) if confidence >= FLOOR else None
