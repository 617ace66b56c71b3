"""Finds the command of a clause: the best rule that fits the whole clause, except for politeness before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from re import Match

from shared.language.commands.command import FLOOR, ChatCommand, ChatCommandName, usual_scope
from shared.language.commands.language import NAME, Language, PhraseRule
from shared.language.commands.line import Line
from shared.language.commands.phrases import normal

CERTAIN = 0.99
"""Highest confidence of a command."""
_SLIPPED = 0.15
_TAILED = 0.15
_CONDITIONED = 0.3
_POINTS_ONLY = 0.7
"""Highest confidence with a topic like `him`: the user is to be asked whom it means."""
_LATER_CLAUSE = 0.12
_FROM_A_LIST = 0.3
_NAMED_FIRST = 0.2
_MOST_OPENERS = 8
_LONG_TOPIC = 0.3
_LONGEST_TOPIC = 120
_SHORT_TOPIC = 2
_DOING = "ing"

Rules = Mapping[str, tuple[PhraseRule, ...]]


@dataclass(frozen=True, slots=True)
class PlacedCommand:
    """A command, and where in the line its clause begins and ends."""

    command: ChatCommand
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Start:
    at: int
    weight: float
    requests: bool


def best(line: Line, start: int, end: int, *, rules: Rules, language: Language) -> PlacedCommand | None:
    """The command in the clause between two offsets, or None. Of equal ones the first rule in the file wins."""
    found: PlacedCommand | None = None
    clause = _CommandClause(line, start, end, without_closers(line.words, start, end, language.closers), language)
    for opened in _starts(clause):
        for rule in rules.get(line.word(opened.at), ()):  # the most confident first
            if not rule.may_be_in(line.vocabulary):
                continue
            most = min(CERTAIN, rule.text.confidence + opened.weight - clause.lost(rule, opened))
            if most < FLOOR or (found and most <= found.command.confidence):
                continue
            read = _matched(rule, opened, clause)
            if read and (found is None or read.command.confidence > found.command.confidence):
                found = read
    return found


def _matched(rule: PhraseRule, opened: _Start, clause: _CommandClause) -> PlacedCommand | None:
    """How the rule reads the clause, if it fits the whole clause, or all up to a comma or a reason."""
    if not rule.pattern.match(clause.line.words, opened.at, clause.end):
        return None
    for stop, weight in clause.stops(rule, opened):
        match = rule.pattern.fullmatch(clause.line.words, opened.at, stop)
        command = _command(match, rule, clause.line, clause.language) if match else None
        if command:
            most = _POINTS_ONLY if normal(command.topic or "") in clause.language.text.pronouns else CERTAIN
            confidence = round(min(most, command.confidence + opened.weight - weight - clause.lost(rule, opened)), 2)
            if confidence >= FLOOR:
                at_once = _is_at_once(clause, opened, stop, command.topic)
                is_request = rule.text.clear or (command.topic is not None and _is_polite(clause, opened, stop))
                read = replace(command, confidence=confidence, at_once=at_once, is_request=is_request)
                return PlacedCommand(read, clause.start, stop)
    return None


def _is_at_once(clause: _CommandClause, opened: _Start, stop: int, topic: str | None) -> bool:
    """True if what stands before or after the command says that it is to be done now, for good."""
    words, language = clause.line.words, clause.language
    after = words[stop : clause.end] if stop == clause.stop else ""
    if language.at_once.search(words[clause.start : opened.at]) or language.at_once.search(after):
        return True
    if topic is not None and _is_thing(topic) and language.for_good.search(after):
        return True
    return (topic is None or after.startswith(", ")) and language.at_once_last.search(after) is not None


def _is_polite(clause: _CommandClause, opened: _Start, stop: int) -> bool:
    """True if a `please` stands before or after the command."""
    words, polite = clause.line.words, clause.language.polite
    return (polite.search(words[clause.start : opened.at]) or polite.search(words[stop : clause.end])) is not None


def _is_thing(topic: str) -> bool:
    """True if a topic is so short that `for good` after it is not of the topic, as in `moving to Leeds for good`."""
    words = topic.lower().split()
    return len(words) <= _SHORT_TOPIC and not any(word.endswith(_DOING) for word in words)


def without_closers(words: str, start: int, end: int, closers: tuple[str, ...]) -> int:
    """Offset of the end without commas and what may stand after a command."""
    marked = (" , ", " : ", *closers)
    while words.endswith(marked, start, end):
        end -= next(len(closer) for closer in marked if words.endswith(closer, start, end)) - 1
    return end


@dataclass(frozen=True, slots=True)
class _CommandClause:
    """A clause in which a command is looked for. `stop`: its end without what may stand after a command."""

    line: Line
    start: int
    end: int
    stop: int
    language: Language

    def lost(self, rule: PhraseRule, opened: _Start) -> float:
        """Confidence to subtract for where the clause stands. A question mark counts more for some rules than for others."""
        said = self.line.said
        requests = opened.requests or self.line.words.endswith(self.language.request_closers, self.start, self.end)
        asked = rule.text.asked if said.is_question and not requests else 0.0
        return asked + (_LATER_CLAUSE if self.start else 0.0) + (_FROM_A_LIST if said.is_item else 0.0)

    def stops(self, rule: PhraseRule, opened: _Start) -> Iterator[tuple[int, float]]:
        """Offsets at which the command may end, each with the confidence to subtract."""
        words, language = self.line.words, self.language
        if rule.capture == "fact":
            yield without_closers(words, self.start, self.end, language.fact_closers), 0.0
            return
        yield self.stop, 0.0
        if not rule.capture and (tail := self.line.next_break(opened.at, self.stop, language.breaks)):
            weight = _CONDITIONED if self.line.word(tail) in language.text.conditions else _TAILED
            yield without_closers(words, self.start, tail, language.closers), weight


def beginnings(line: Line, start: int, end: int, language: Language) -> Iterator[int]:
    """Offsets at which what a clause asks for may begin: its start, and after each greeting and politeness."""
    return (opened.at for opened in _starts(_CommandClause(line, start, end, end, language)))


def without_openers(line: Line, start: int, end: int, language: Language) -> int:
    """Offset of the beginning without what may stand before a command."""
    *_, last = _starts(_CommandClause(line, start, end, end, language))
    return last.at


def _starts(clause: _CommandClause) -> Iterator[_Start]:
    """Offsets at which the command itself may begin: at once, or after each opener."""
    now = _Start(clause.start, 0.0, requests=False)
    yield now
    after = _opened(now, clause)
    if after is None and (named := _after_name(clause.line, clause.start, clause.language)):
        lost = 0.0 if clause.line.is_called(clause.start) else _NAMED_FIRST
        after = _Start(named, -lost, requests=False)
    for _ in range(_MOST_OPENERS):
        if after is None:
            return
        yield after
        after = _opened(after, clause)


def _opened(now: _Start, clause: _CommandClause) -> _Start | None:
    line = clause.line
    for opener in clause.language.openers.get(line.word(now.at), ()):
        match = opener.pattern.match(line.words, now.at, clause.stop)
        if match:
            end = _past_name(line, match.end(), clause.language) if opener.greets else match.end()
            comma = 2 if line.word(end) == "," else 0
            return _Start(end + comma, now.weight + opener.weight, requests=now.requests or opener.requests)
    return None


def _past_name(line: Line, at: int, language: Language) -> int:
    """Offset after the name of whoever is greeted, if there is one at `at`."""
    word = line.word(at)
    is_name = word.isalpha() and not (word in language.rules or word in language.openers or word in language.text.pronouns)
    return at + len(word) + 1 if is_name else at


def _after_name(line: Line, start: int, language: Language) -> int | None:
    """Offset after `@luna`, `Luna, ` or the Luna of `Luna please`, who may be the bot or somebody else."""
    word = line.word(start)
    after = start + len(word) + 1
    if line.is_called(start):
        return after + 2 if line.word(after) == "," else after
    if start != 0 or not word.isalpha() or not line.is_name(start):
        return None
    if line.word(after) == ",":
        return after + 2
    openers = language.openers.get(line.word(after), ())
    return after if any(opener.requests and opener.pattern.match(line.words, after) for opener in openers) else None


def _command(match: Match[str], rule: PhraseRule, line: Line, language: Language) -> ChatCommand | None:
    captured = rule.capture
    begin, end = match.span(captured) if captured else (match.end(), match.end())
    slipped = line.slipped(match.start(), begin) or line.slipped(end, match.end())
    command = ChatCommand(
        rule.text.name,
        scope=rule.text.scope or usual_scope(rule.text.name),
        confidence=max(rule.text.confidence - _SLIPPED, FLOOR) if slipped else rule.text.confidence,
        language=language.code,
    )
    if captured and not _begins(line, begin, rule):
        return None
    if captured == "fact":
        fact = line.written(begin, end, keeps_emoji=True)
        return replace(command, fact=fact) if fact and _fits(line.words[begin:end].split(), rule) else None
    if captured:
        span = (begin, without_closers(line.words, begin, line.topic_end(begin, end, language), language.closers))
        topic, words = line.written(*span), line.words[span[0] : span[1]].split()
        if not topic or not _fits(words, rule):
            return None
        if topic.lower() in language.text.selves:
            return _about_self(command)
        doubt = _LONG_TOPIC if len(topic) > _LONGEST_TOPIC else 0.0
        doubt += 0.0 if language.text.suppositions.isdisjoint(words[1:]) else _CONDITIONED
        return replace(command, topic=topic, confidence=command.confidence - doubt)
    return command


def _about_self(command: ChatCommand) -> ChatCommand | None:
    match command.name:
        case ChatCommandName.ASK_ABOUT:
            return command
        case ChatCommandName.FORGET_ABOUT:
            return replace(command, name=ChatCommandName.FORGET_ME)
        case _:
            return None


def _begins(line: Line, at: int, rule: PhraseRule) -> bool:
    word, begins = line.word(at), rule.text.begins
    is_one = not begins or word in begins or (NAME in begins and line.is_name(at))
    return is_one and word not in rule.text.not_begins


def _fits(words: list[str], rule: PhraseRule) -> bool:
    has_one = not rule.text.contains or not frozenset(rule.text.contains).isdisjoint(words[1:])
    return has_one and frozenset(rule.text.not_contains).isdisjoint(words)
