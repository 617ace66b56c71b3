"""Reads the slots of a text. A clause has slots if one plain shape covers all of its words, and each value is of its type.

A sentence that asks, supposes, hedges, jokes or reports what others said has no slot. Everything else is read as nothing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from shared.language.statements.attributes import ValueKind, attribute, find_attribute
from shared.language.statements.clauses import Clause, Mood, Sentence, split_text, with_afterthoughts
from shared.language.statements.keeping import is_wish
from shared.language.statements.language import StatementLanguage, statement_language
from shared.language.statements.notation import Shape
from shared.language.statements.slots import ReadSlot
from shared.language.statements.subjects import USER
from shared.language.statements.values import Token, ValueReader
from shared.language.tables import CODES, ENGLISH
from shared.language.text.languages import detect_language

_LABEL = re.compile(r"\{(\w+)\}")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_KIN = "kin"
STYLE = "answer style"
WISHES = frozenset((STYLE, "answer language", "nickname"))
"""The attributes of wishes to the bot."""
_LONGEST_VALUE = 256
_OPEN_KINDS = frozenset((ValueKind.PERSON, ValueKind.FIRM, ValueKind.WORDS, ValueKind.LIKING, ValueKind.TEXT))
"""Types that any word may be of."""
_TAKEN = frozenset((ValueKind.FOOD, ValueKind.DIET, ValueKind.DRUG))
"""Types of food and medicine: having one today, or not, says nothing about other days."""
_LONGEST_CLAUSE = 18
"""Words; no shape has more."""


@dataclass(slots=True)
class Said:
    """The sentences of a text, and the slots of each."""

    language: str | None  # None: of no language that has a file
    sentences: tuple[Sentence, ...]
    slots_of: dict[int, tuple[ReadSlot, ...]] = field(default_factory=dict)  # by the sentence's place
    plain: frozenset[int] = frozenset()  # the sentences that one clause of a plain shape is, to the last word

    @property
    def slots(self) -> tuple[ReadSlot, ...]:
        """The slots of all sentences, in their order."""
        return tuple(slot for place in sorted(self.slots_of) for slot in self.slots_of[place])


def read_slots(
    text: str, *, speaker: str | None = None, user: str | None = None, said_on: date | None = None, language: str = ENGLISH
) -> tuple[ReadSlot, ...]:
    """Return what a text states plainly, in the order in which it does. `language`: the usual one of its conversation.

    `I`, `the user` and the names of the speaker and the user are all the subject `user`. `said_on` is the day from which
    `for three years` is counted.

    >>> [(slot.attribute, slot.value, slot.replaces) for slot in read_slots("I moved from Leeds to York last week")]
    [('home', 'york', 'leeds')]
    """
    names = tuple(sorted({" ".join(name.split()) for name in (speaker, user) if name and name.strip()}))
    return read(text, language=language, names=names, said_on=said_on).slots


@lru_cache(maxsize=256)
def read(text: str, *, language: str | None = None, names: tuple[str, ...] = (), said_on: date | None = None) -> Said:
    """Read a text once. `language`: the usual one of its conversation; `names`: the person's.

    >>> read("I live in Leeds. Do you know it?").plain
    frozenset({0})
    """
    code = detect_language(text, language)
    if code is None or code not in CODES:
        return Said(code, ())
    known = statement_language(code)
    sentences = with_afterthoughts(split_text(text, known, names))
    reader = _Reader(known, ValueReader(known, text != text.lower()), said_on)
    found: dict[int, tuple[ReadSlot, ...]] = {}
    plain: set[int] = set()
    for place, sentence in enumerate(sentences):
        before = next(reversed(found), None)
        if sentence.mood in (Mood.RETRACTION, Mood.JOKE):
            if before is not None and (before == place - 1 or sentence.mood is Mood.RETRACTION):
                del found[before]
            continue
        is_own = sentence.whole.said.partition(" ")[0] in known.me | known.my
        may_correct = sentence.mood is Mood.CORRECTION or (sentence.is_plain and not is_own)
        if may_correct and before is not None and (right := reader.correct(sentence, found[before])):
            found[before], found[place] = right
            continue
        slots, is_whole = reader.read(sentence)
        if is_wish(sentence, known) and not any(slot.attribute in WISHES for slot in slots):
            style = sentence.written.strip(" .!,;:–—-\n").casefold()[:_LONGEST_VALUE]
            reasons = () if is_whole else slots  # `I am vegan, so never suggest meat`
            slots, is_whole = (*reasons, ReadSlot(subject=USER, attribute=STYLE, value=style)), not reasons
        if slots:
            found[place] = slots
            if is_whole:
                plain.add(place)
    says_more = len(plain) < len(sentences)
    is_whole = len(sentences) == 1 and len(plain) == 1
    return Said(
        code,
        sentences,
        {
            place: tuple(
                slot.model_copy(update={"says_more": says_more or slot.says_more, "is_whole": is_whole and not slot.says_more})
                for slot in slots
            )
            for place, slots in _last_of_each(found).items()
        },
        frozenset(plain),
    )


def correct_slots(sentence: Sentence, before: Sequence[ReadSlot], language: StatementLanguage) -> tuple[ReadSlot, ...] | None:
    """Return the slots of a correction of what these slots state; None if it names no value of their types."""
    right = _Reader(language, ValueReader(language, has_capitals=False), None).correct(sentence, before)
    return right[1] if right else None


def _last_of_each(found: dict[int, tuple[ReadSlot, ...]]) -> dict[int, tuple[ReadSlot, ...]]:
    """Leave out a value that a later correction of the same text replaces."""
    replaced = {
        (slot.subject, slot.attribute, slot.replaces): place
        for place, slots in found.items()
        for slot in slots
        if slot.replaces
    }
    kept = {
        place: tuple(slot for slot in slots if replaced.get((slot.subject, slot.attribute, slot.value or ""), place) <= place)
        for place, slots in found.items()
    }
    return {place: slots for place, slots in kept.items() if slots}


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the sentences of one text."""

    language: StatementLanguage
    values: ValueReader
    said_on: date | None

    def read(self, sentence: Sentence) -> tuple[tuple[ReadSlot, ...], bool]:
        """Return the slots of a sentence; True if one clause of a plain shape is all of it."""
        if not (sentence.is_plain or sentence.mood is Mood.CORRECTION):
            return (), False
        if whole := self._of_words(sentence.whole.tokens):
            return whole, True
        found = [() if clause is sentence.whole else self._of_words(clause.tokens) for clause in sentence.clauses]
        told = [slots or self._before_comma(clause) for slots, clause in zip(found, sentence.clauses, strict=True)]
        return tuple(slot for slots in told for slot in slots), bool(found) and all(found)

    def _before_comma(self, clause: Clause) -> tuple[ReadSlot, ...]:
        """Return the slots of the words before a comma, if the rest takes nothing back: `I am vegan now, took the plunge`."""
        place = next((place for place, token in enumerate(clause.tokens) if token.word == ","), 0)
        rest = {token.word for token in clause.tokens[place:]}
        if not place or not rest.isdisjoint(self.language.undoes | self.language.joints):
            return ()
        return tuple(slot for slot in self._of_words(clause.tokens[:place]) if attribute(slot.attribute).one)

    def correct(
        self, sentence: Sentence, before: Sequence[ReadSlot]
    ) -> tuple[tuple[ReadSlot, ...], tuple[ReadSlot, ...]] | None:
        """Return the slots before a correction, and those of the correction; None if it names no value of their type.

        `I live in Leeds.` - `No wait, York.`
        """
        for clause, shape in itertools.product(self._corrections(sentence), self.language.instead):
            match = shape.pattern.fullmatch(clause.text)
            if match is None or (sentence.mood is not Mood.CORRECTION and not match.groupdict().get("old")):
                continue
            words = _captured(clause.tokens, match, "words")
            old = _captured(clause.tokens, match, "old") if match.groupdict().get("old") else ()
            for wrong in reversed(before):
                may_be = sentence.says_wrong or old or attribute(wrong.attribute).type not in _OPEN_KINDS
                if not may_be and not any(token.is_capital for token in words):
                    continue
                if (right := self._value_like(wrong, words)) and right != wrong.value:
                    if old and " ".join(token.word for token in old) not in (wrong.value or ""):
                        continue
                    fixed = wrong.model_copy(update={"value": right, "replaces": wrong.value})
                    return tuple(slot for slot in before if slot is not wrong), (fixed,)
        return None

    def _corrections(self, sentence: Sentence) -> Iterator[Clause]:
        """The words of a correction: all, those that say something, and those before another clause."""
        words = tuple(token for token in sentence.whole.tokens if token.start < token.end)
        yield Clause(words, is_own=False)
        telling = tuple(token for token in words if token.word not in self.language.adverbs)
        if len(telling) < len(words):
            yield Clause(telling, is_own=False)
        if len(sentence.clauses) > 1 and not sentence.clauses[0].is_own:
            yield sentence.clauses[0]

    def _value_like(self, slot: ReadSlot, words: Sequence[Token]) -> str | None:
        values = self.values.read(attribute(slot.attribute).type, words)
        return values[0] if len(values) == 1 else None

    def _of_words(self, tokens: Sequence[Token]) -> tuple[ReadSlot, ...]:
        """The slots of a clause; of two that a joint joins, if each has a plain shape: `I work in York and live in Leeds`."""
        if found := self._of_clause(tokens):
            return found
        was_left_out = len(tokens) > 1 and tokens[0].start == tokens[0].end  # its `I`, which some shapes have not
        if was_left_out and (found := self._of_clause(tokens[1:])):
            return found
        if tokens and tokens[0].word in self.language.no:
            subject = Token(self.language.tables.me[0], is_capital=False, start=tokens[0].start, end=tokens[0].start)
            ended = self._of_clause((subject, *tokens))  # `no longer in Munich`
            if ended and all(slot.negated for slot in ended):
                return ended
        for place in range(len(tokens) - 2, 1, -1):
            if tokens[place].word in self.language.joints and tokens[0].word in self.language.me:
                for lead in (tokens[:1], tokens[:2]):
                    left, right = self._of_clause(tokens[:place]), self._of_clause((*lead, *tokens[place + 1 :]))
                    if left and right:
                        return (*left, *right)
        return ()

    def _of_clause(self, tokens: Sequence[Token]) -> tuple[ReadSlot, ...]:
        """The slots of a clause, if need be without adverbs, and without what says only when."""
        telling = [token for token in tokens if token.word not in self.language.adverbs]
        tried = [tokens, *([telling] if len(telling) < len(tokens) else [])]
        ways = itertools.chain(tried, filter(None, map(self._with_time_behind, tried)))
        return next(filter(None, map(self._without_closers, ways)), ())

    def _with_time_behind(self, tokens: Sequence[Token]) -> Sequence[Token]:
        """Return a clause with the words amid it that say when behind the others: `I am since May married`; none if none do."""
        text, start = " ".join(token.word for token in tokens), 0
        for place, token in enumerate(tokens[:_LONGEST_CLAUSE]):
            if (found := self.language.closers.match(text, start)) and found.end() < len(text):
                behind = place + len(found[0].split())
                rest = [*tokens[:place], *tokens[behind:]]
                if place == 0 and len(rest) > 1 and rest[1].word in self.language.me:  # `Seit Mai wohne ich ...`
                    rest[:2] = rest[1::-1]
                return [*rest, *tokens[place:behind]]
            start += len(token.word) + 1
        return ()

    def _instead(self, text: str, tokens: Sequence[Token]) -> tuple[ReadSlot, ...]:
        """Return the slots of a clause that ends with the value it replaces: `my boss is Dana, not Priya`."""
        for shape in self.language.instead:
            match = shape.pattern.fullmatch(text) if "old" in shape.types and not shape.words.isdisjoint(text.split()) else None
            if match and match["old"] and match.start("words") == 0 and match.start("old") >= match.end("words"):
                slots = self._of_clause(_captured(tokens, match, "words"))
                wrong = {self._value_like(slot, _captured(tokens, match, "old")) for slot in slots}
                if len(slots) == 1 and None not in wrong:
                    return (slots[0].model_copy(update={"replaces": wrong.pop()}),)
        return ()

    def _without_closers(self, tokens: Sequence[Token]) -> tuple[ReadSlot, ...]:
        since: datetime | None = None
        says_more = is_today = False
        while 0 < len(tokens) <= _LONGEST_CLAUSE:
            text = " ".join(token.word for token in tokens)
            if found := {(slot.subject, slot.attribute, slot.value): slot for slot in self._of_text(text, tokens)}:
                return tuple(
                    slot.model_copy(update={"says_more": says_more, "valid_from": None if slot.negated else since})
                    for slot in found.values()
                    if not (is_today and attribute(slot.attribute).type in _TAKEN)
                )
            if (closer := self.language.closers.match_end(text)) is None:
                return self._instead(text, tokens)
            since = since or self._since(closer[0].strip())
            says_more = says_more or self._says_more(closer[0])
            is_today = is_today or self.language.today.match(closer[0].strip()) is not None
            tokens = tokens[: text.count(" ", 0, closer.start())]
            while tokens and not tokens[-1].is_word:
                tokens = tokens[:-1]
        return ()

    def _of_text(self, text: str, tokens: Sequence[Token]) -> Iterator[ReadSlot]:
        for name, is_end, shape in self.language.shapes_of(dict.fromkeys(text.split())):
            if match := shape.pattern.fullmatch(text):
                yield from self._slots(name, shape, match, tokens, is_end=is_end)

    def _slots(
        self, name: str, shape: Shape, match: re.Match[str], tokens: Sequence[Token], *, is_end: bool
    ) -> Iterator[ReadSlot]:
        name, _, fixed = name.partition(": ")
        subject, named = self._subject(match, tokens)
        values = {
            label: self._kin(match[label]) if kind == _KIN else self.values.read(kind, _captured(tokens, match, label))
            for label, kind in shape.types.items()
            if match[label] is not None
        }
        if subject is None or not all(values.values()):
            return
        attribute_name = values[_KIN][0] if name == _KIN else _LABEL.sub(lambda label: values[label[1]][0], name)
        old = values.get("old", (None,))[0]
        own = [label for label in values if label not in ("old", _KIN) and f"{{{label}}}" not in name]
        label = _label_of(attribute_name, own, shape)
        if label and len(values[label]) > 1 and attribute(attribute_name).one:
            return  # a list is no value of an attribute that has one
        yield from named
        for value in values[label] if label else (fixed or None,):
            yield ReadSlot(
                subject=subject,
                attribute=attribute_name,
                value=value[:_LONGEST_VALUE] if value else None,
                negated=is_end,
                replaces=old or (value if is_end else None),
            )

    def _kin(self, words: str) -> tuple[str, ...]:
        word = words.rpartition(" ")[2]
        is_bare = self.language.before_kin.issuperset(words.split()[:-1])
        known = is_bare and (self.language.kin.get(word) or self.language.kin.get(word.removesuffix("s")))
        return (known,) if known else ()

    def _subject(self, match: re.Match[str], tokens: Sequence[Token]) -> tuple[str | None, list[ReadSlot]]:
        """Return the subject of a shape, and the name that its words give somebody; None if they name nobody."""
        groups = match.groupdict()
        label = "who" if groups.get("who") else "whose"
        words = groups.get(label)
        if words is None or words in self.language.me or words in self.language.my:
            return USER, []
        own = [token for token in _captured(tokens, match, label) if token.word != "'s"]
        if len(own) == 1 and own[0].word in self.language.bare_kin:
            return f"{USER}'s {own[0].word}", []
        if own[0].word in self.language.my:
            return self._relative(own)
        name = self.values.read("person", own) if all(token.is_capital for token in own) else ()
        return (name[0], []) if name and self.language.code != "de" else (None, [])

    def _relative(self, own: Sequence[Token]) -> tuple[str | None, list[ReadSlot]]:
        """Return who is meant by `my sister Anna`, and that she is called so."""
        kin = next((place for place, token in enumerate(own) if token.word in self.language.kin), None)
        if kin is None:
            return None, []
        if not (called := own[kin + 1 :]):
            return f"{USER}'s {' '.join(token.word for token in own[1 : kin + 1])}", []
        name = self.values.read("person", called)
        relation = self.language.kin[own[kin].word]
        return (name[0], [ReadSlot(subject=USER, attribute=relation, value=name[0])]) if name else (None, [])

    def _says_more(self, words: str) -> bool:
        """True if words that close a clause name a time or somebody."""
        telling = self.language.times | self.language.tables.units.keys() | self.language.my
        return any(word[0].isdigit() or word in telling for word in words.split())

    def _since(self, words: str) -> datetime | None:
        """The moment since which a state holds, as a closer says it."""
        if not words or self.said_on is None:
            return None
        split = words.split()
        if split[0] in self.language.tables.since:
            month = next((self.language.months[word] for word in split if word in self.language.months), None)
            year = _YEAR.search(words)
            if month:
                said = self.said_on.year
                return datetime(int(year[0]) if year else said - (month > self.said_on.month), month, 1, tzinfo=UTC)
            return datetime(int(year[0]), 1, 1, tzinfo=UTC) if year else None
        if split[0] in self.language.tables.lasting:
            number = next((int(w) if w.isdigit() else self.language.numbers.get(w) for w in split[1:2]), None)
            days = next((self.language.tables.units[word] for word in split if word in self.language.tables.units), None)
            if number and days:
                began = self.said_on - timedelta(days=number * days)
                return datetime(began.year, began.month, began.day, tzinfo=UTC)
        return None


def _label_of(name: str, own: Sequence[str], shape: Shape) -> str | None:
    """Return the label of the attribute's value among those of a shape: by its name, else by its type; None if it has none."""
    known = find_attribute(name)
    kind = known.type if known else ""
    fitting = [label for label in own if kind in (label, shape.types[label].removeprefix("known_"))]
    return name if name in own else next(iter(fitting), None)


def _captured(tokens: Sequence[Token], match: re.Match[str], label: str) -> tuple[Token, ...]:
    """The words that a part of an expression matched."""
    text = match.string
    first = text.count(" ", 0, match.start(label))
    return tuple(tokens[first : first + match[label].count(" ") + 1])
