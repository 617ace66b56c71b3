"""A text in sentences and clauses: how each is meant, and its words in the form in which the shapes are matched.

Only what the person states themselves counts: no code, no quoted mail, no text that is handed over to be worked on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from shared.language.statements.handed_over import own_words
from shared.language.statements.language import StatementLanguage
from shared.language.statements.values import Token
from shared.language.text.sentences import sentence_ends
from shared.language.text.without_echoes import MARK

LONGEST_CHARACTERS = 400
"""A longer sentence (a pasted log, a list) is not read."""

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_LINE_START = re.compile(r"(?:[-*•+>]|\d{1,2}[.)])\s+|>")
_TOKEN = re.compile(
    r"\+?\d[\d ()-]{5,}\d"  # a number to call, which becomes one word
    r"|[\w.+-]+@[\w-]+\.[\w.-]*\w"
    r"|[£$€]?\d(?:[\d.,:/']*\d)?[^\W\d_]*[€$£%]?"
    r"|[^\W\d_](?:[\w&+/'-]*[\w+])?'?|[&]|[,:;()–—-]+|[.?!…]+(?=\S)"
)
_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "ʼ": "'"})
_QUOTED = re.compile(r'"[^"]{2,}"')
_SHORT_TIME_WORDS = 2
"""`since last week` says when, and is no clause."""
_ORDINAL_BEFORE = re.compile(r"(?<!\d)\d{1,2}\.$")
_LONGEST_ORDINAL = 4
_LONGEST_MONTH = 16
_LONGEST_SLIP_WORDS = 4
_LONGEST_AFTERTHOUGHT = 2
_LEAST_NEGATED = 2
_LEAST_STATED = 3
"""Words of such a statement before the condition."""
_LATEST_SUBJECT = 5
"""Words, of which the first may say when or where: `On Sundays I ...`."""
_PUNCTUATION = frozenset(",:;()–—-")
_SPACES = re.compile(r"(?<=\d)[ ()]+")
"""In a number to call."""


class Mood(StrEnum):
    """How a sentence is meant."""

    STATED = "stated"
    ASKED = "asked"
    HEDGED = "hedged"  # the person may be wrong, or it is still to come
    OPEN = "open"  # hypothetical, or what others said
    JOKE = "joke"
    CORRECTION = "correction"
    RETRACTION = "retraction"


@dataclass(frozen=True, slots=True)
class Clause:
    """Words with a subject of their own; the sentence's own one where they continue it."""

    tokens: tuple[Token, ...]
    is_own: bool  # the user is its subject, or somebody whom they call `my`

    @property
    def text(self) -> str:
        """The words, a space between two."""
        return " ".join(token.word for token in self.tokens)

    @property
    def said(self) -> str:
        """The words without a subject that was put before them."""
        return " ".join(token.word for token in self.tokens if token.start < token.end)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text."""

    written: str  # as it was written, without what is asked behind it
    start: int  # in the text
    mood: Mood
    whole: Clause  # without openers
    clauses: tuple[Clause, ...]
    is_asked_for: bool = False  # `remember that ...`
    says_wrong: bool = False  # a correction that cannot be anything else: `I meant ...`

    @property
    def is_plain(self) -> bool:
        """True if what it states is meant as it is said."""
        return self.mood is Mood.STATED


def split_text(text: str, language: StatementLanguage, names: Sequence[str] = ()) -> Iterator[Sentence]:
    """Split a text into its sentences. `names`: the person's, who may tell of themselves by name."""
    own = own_words(_CODE.sub(lambda code: "\n" * len(code[0]), text).translate(_QUOTES), language.task)
    offset = 0
    for line in own.splitlines(keepends=True):
        begin = _LINE_START.match(line.lstrip())
        if not line.lstrip().startswith(">"):
            indent = len(line) - len(line.lstrip())
            yield from _of_line(line, offset, indent + (begin.end() if begin else 0), language, names)
        offset += len(line)


def with_afterthoughts(sentences: Iterable[Sentence]) -> tuple[Sentence, ...]:
    """Return the sentences; a word or two behind one that ends in dots are a correction: `I am 43... 44`."""
    found: list[Sentence] = []
    for sentence in sentences:
        is_short = len(sentence.whole.tokens) <= _LONGEST_AFTERTHOUGHT and sentence.mood is Mood.STATED
        if found and is_short and not sentence.whole.is_own and found[-1].written.endswith(("..", "…")):
            sentence = replace(sentence, mood=Mood.CORRECTION)  # noqa: PLW2901 - the one in its stead
        found.append(sentence)
    return tuple(found)


def _of_line(line: str, offset: int, start: int, language: StatementLanguage, names: Sequence[str]) -> Iterator[Sentence]:
    ends = set(sentence_ends(line, start, abbreviations=language.abbreviations, of_chat=True))
    if language.label:
        ends.update(label.end() for label in language.label.finditer(line, start))
    for end in sorted(end for end in ends if not _is_within_date(line, end, language)):
        written = line[start:end]
        if written.strip() and len(written) <= LONGEST_CHARACTERS and MARK not in written:
            lead = len(written) - len(written.lstrip())
            if sentence := _sentence(written.strip(), offset + start + lead, language, names):
                yield sentence
        start = end


def _mood(text: str, written: str, language: StatementLanguage) -> Mood:
    if language.open.search(text) or _QUOTED.search(written):
        return Mood.OPEN
    return Mood.HEDGED if language.hedges.search(text) else Mood.STATED


def _is_open_behind(tokens: Sequence[Token], written: str, language: StatementLanguage) -> bool:
    """True if a sentence begins with a statement of the user, and a condition follows: `I move in June unless it rains`."""
    is_own = len(tokens) > _LEAST_STATED and tokens[0].word in language.me
    is_open = language.open.search(_text(tokens[: _LEAST_STATED + 1])) or _QUOTED.search(written) is not None
    return is_own and not is_open


def _is_within_date(line: str, end: int, language: StatementLanguage) -> bool:
    """True if a place is behind the full stop of a number that a month or a small letter follows: `am 14. April`."""
    if not _ORDINAL_BEFORE.search(line, max(0, end - _LONGEST_ORDINAL), end):
        return False
    following = line[end:].lstrip()[:_LONGEST_MONTH]
    is_month = following.partition(" ")[0].rstrip(".,!?").lower() in language.months
    return is_month or (language.tables.ordinal_dots and following[:1].islower())


def _sentence(written: str, start: int, language: StatementLanguage, names: Sequence[str]) -> Sentence | None:
    tokens = _renamed(list(_tokens(written, start, language)), names, language)
    if not any(token.is_word for token in tokens):
        return None
    text = _text(tokens)
    if language.retracts.fullmatch(text):
        return Sentence(written, start, Mood.RETRACTION, Clause(tuple(tokens), is_own=False), ())
    if language.jokes.search(text):
        return Sentence(written, start, Mood.JOKE, Clause(tuple(tokens), is_own=False), ())
    right, says_wrong = _correction(tokens, language)
    if written.startswith("*") and not right:  # how a slip of the keyboard is put right
        right, says_wrong = tokens, len(tokens) <= _LONGEST_SLIP_WORDS
    mood = Mood.CORRECTION if right else _mood(text, written, language)
    tokens = right or tokens
    tokens, is_asked_for = _without_openers(tokens, language)
    parts = list(_parts(tokens, language))
    is_question = written.rstrip("\"') ").endswith("?") and not is_asked_for
    asks = [
        (is_question and place == len(parts) - 1) or bool(language.asks.match(_text(part))) for place, part in enumerate(parts)
    ]
    stated = len(parts)
    if any(asks):
        stated = asks.index(True)
        if _text(parts[stated]).strip(" ,") in language.tails:
            stated -= 1
        if stated <= 0:
            return Sentence(written, start, Mood.ASKED, Clause(tuple(tokens), is_own=False), ())
    elif mood is Mood.OPEN:
        stated = next((place for place in range(1, len(parts)) if parts[place - 1][-1].word in language.reasons), stated)
    mood = Mood.HEDGED if mood is Mood.OPEN and _is_open_behind(tokens, written, language) else mood
    if stated < len(parts):
        last = (_without_joints(parts[stated - 1], language) or parts[stated - 1])[-1].end
        parts, written = parts[:stated], written[: last - start]
        tokens = [token for token in tokens if token.end <= last]
        mood = mood if mood is Mood.CORRECTION else _mood(_text(tokens), written, language)
    may_elide = mood is not Mood.CORRECTION
    clauses = tuple(_clauses(parts, language, may_elide=may_elide))
    is_own = any(clause.is_own for clause in clauses)
    whole = (
        clauses[0]
        if len(clauses) == 1
        else Clause(tuple(_with_subject(_trimmed(tokens), language) if may_elide else _trimmed(tokens)), is_own)
    )
    return Sentence(written, start, mood, whole, clauses, is_asked_for, says_wrong)


def _negates(tokens: Sequence[Token], language: StatementLanguage) -> bool:
    """True if words begin with a `no` that belongs to what follows: `no eggs`, but not `no, eggs` or `no wait`."""
    if len(tokens) < _LEAST_NEGATED or tokens[0].word not in language.no:
        return False
    following, rest = tokens[1].word, _text(tokens[1:])
    is_answer = following == "," or following in language.me or following in language.my or following in language.no
    return not is_answer and not any(
        phrases.match(rest) for phrases in (language.says_wrong, language.corrects, language.openers)
    )


def _correction(tokens: Sequence[Token], language: StatementLanguage) -> tuple[list[Token], bool]:
    """Return the words behind those with which a correction begins, no words if none does; True if it can be nothing else."""
    rest, says_wrong, found = list(tokens), False, False
    while rest and not _negates(rest, language):
        text = _text(rest)
        if match := language.says_wrong.match(text) or language.corrects.match(text):
            says_wrong = says_wrong or bool(language.says_wrong.match(text))
            found = True
        elif found or (match := language.openers.match(text)) is None:
            break
        if match.end() >= len(text):
            break
        rest = list(_trimmed_before(_after(rest, match.end())))
    if not found:
        first = next(_parts(tokens, language), [])
        found = any(shape.words and shape.pattern.fullmatch(_text(_trimmed(first))) for shape in language.instead_behind)
        rest = list(tokens)
    return (rest, says_wrong) if found else ([], False)


def _tokens(written: str, start: int, language: StatementLanguage) -> Iterator[Token]:
    is_first = True
    for found in _TOKEN.finditer(written):
        raw, begin, end = found[0], start + found.start(), start + found.end()
        is_capital = raw[0].isupper() and not (is_first and raw.lower() in language.common)
        for word in _spelled(_SPACES.sub("", raw.lower()), language):
            yield Token(word, is_capital, begin, end)
        is_first = raw in (".", "!", "?", ":")


def _spelled(word: str, language: StatementLanguage) -> Sequence[str]:
    if word in language.contractions:
        return language.contractions[word]
    if "'" not in word:
        return (word,)
    for ending, spelled in language.tables.endings.items():
        if word.endswith(ending) and len(word) > len(ending):
            return (word.removesuffix(ending), *spelled.split())
        if ending.endswith("'") and word.startswith(ending) and len(word) > len(ending):  # `j'ai`
            return (*spelled.split(), word.removeprefix(ending))
    return (word,)


def _renamed(tokens: list[Token], names: Sequence[str], language: StatementLanguage) -> list[Token]:
    """Return the words with `I` for the names of the user."""
    known = [each.lower().split() for each in (*names, *language.tables.persons) if each]
    known += [[each[0]] for each in known if len(each) > 1 and each[0] not in language.articles]
    said = {token.word for token in tokens}
    for name in sorted(known, key=len, reverse=True):
        place = 0 if name[0] in said else len(tokens)
        while place + len(name) <= len(tokens):
            is_subject = place == 0 or tokens[place - 1].word in language.joints or not tokens[place - 1].is_word
            if is_subject and [token.word for token in tokens[place : place + len(name)]] == name:
                following = tokens[place + len(name) : place + len(name) + 1]
                owns = bool(following) and following[0].word == "'s" and place + len(name) + 1 < len(tokens)
                word = language.tables.my[0] if owns else language.tables.me[0]
                tokens[place : place + len(name) + owns] = [tokens[place]._replace(word=word)]
            place += 1
    return tokens


def _without_openers(tokens: list[Token], language: StatementLanguage) -> tuple[list[Token], bool]:
    """Return the words without what opens a sentence and says nothing; True if they are to be remembered."""
    is_asked_for = False
    while tokens:
        if not tokens[0].is_word:
            tokens = tokens[1:]
        elif found := language.asked.match(_text(tokens)):
            is_asked_for = True
            tokens = _after(tokens, found.end())
        elif (
            not _negates(tokens, language)
            and (found := language.openers.match(_text(tokens)))
            and found.end() < len(_text(tokens))
        ):
            tokens = _after(tokens, found.end())
        else:
            break
    return tokens, is_asked_for


def _trimmed_before(tokens: Sequence[Token]) -> Sequence[Token]:
    while tokens and not tokens[0].is_word:
        tokens = tokens[1:]
    return tokens


def _trimmed(tokens: Sequence[Token]) -> Sequence[Token]:
    while tokens and not tokens[-1].is_word:
        tokens = tokens[:-1]
    return tokens


def _without_joints(tokens: Sequence[Token], language: StatementLanguage) -> Sequence[Token]:
    """Return the words of a clause without those at its end that join the next one."""
    cut = _trimmed(tokens)
    while len(cut) > 1 and cut[-1].word in language.joints:
        cut = _trimmed(cut[:-1])
    return cut


def _after(tokens: list[Token], end: int) -> list[Token]:
    """The tokens behind so many characters of their text."""
    while tokens and end > 0:
        end -= len(tokens[0].word) + 1
        tokens = tokens[1:]
    return tokens


def _parts(tokens: Sequence[Token], language: StatementLanguage) -> Iterator[list[Token]]:
    """The parts of a sentence that may each be a clause: they begin at a subject behind a comma or a joint."""
    part: list[Token] = []
    for place, token in enumerate(tokens):
        if part and (token.word in language.breaks or _begins(tokens, place, language)):
            yield part
            part = []
        if token.word not in language.breaks and (part or token.word not in _PUNCTUATION):
            part.append(token)
    if part:
        yield part


def _begins(tokens: Sequence[Token], place: int, language: StatementLanguage) -> bool:
    before, word = tokens[place - 1].word, tokens[place].word
    if before[0] in ":;()–—" or (before[0] == "-" and not before[1:]):
        return True
    is_time = before in language.tables.since and len(tokens) - place <= _SHORT_TIME_WORDS
    if before in language.reasons and not is_time:
        return True
    if before == "," or before in language.joints:
        rest = tokens[place:]
        first = {word, rest[1].word} if word in language.adverbs and len(rest) > 1 else {word}  # `and now I ...`
        return (
            not first.isdisjoint(language.subjects | language.elided | language.joints)
            or (word in language.fronted and len(rest) > 1 and rest[1].word in language.elided)
            or _text(rest).strip(" ,") in language.tails
            or bool(language.asks.match(_text(rest)))
        )
    return False


def _clauses(parts: Sequence[Sequence[Token]], language: StatementLanguage, *, may_elide: bool) -> Iterator[Clause]:
    has_user = False
    for part in parts:
        tokens, _ = _without_openers(list(part), language)
        while tokens and tokens[0].word in language.joints:
            tokens = tokens[1:]
        tokens, _ = _without_openers(tokens, language)
        cut = _without_joints(tokens, language)
        if not cut:
            continue
        first = cut[0].word
        subject = first
        if first in language.fronted or first.removesuffix("s") in language.weekdays:
            subject = next((token.word for token in cut[:_LATEST_SUBJECT] if token.word in language.subjects), first)
        is_own = subject in language.me or subject in language.my
        if may_elide and not is_own and first in language.elided and not has_user:
            cut = _with_subject(cut, language)
            is_own = True
        has_user = has_user or is_own
        yield Clause(tuple(cut), is_own)


def _with_subject(tokens: Sequence[Token], language: StatementLanguage) -> Sequence[Token]:
    """Return the words with the `I` that was left out before them."""
    if tokens and tokens[0].word in language.elided:
        return [Token(language.tables.me[0], is_capital=False, start=tokens[0].start, end=tokens[0].start), *tokens]
    return tokens


def _text(tokens: Sequence[Token]) -> str:
    return " ".join(token.word for token in tokens)
