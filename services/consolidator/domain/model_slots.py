"""The slots of a fact that a model stated: those that its sentence shows, and those of the model's that rest on it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ValidationError

from shared.contracts.parts import FactSlot
from shared.language.statements.attributes import attribute, find_attribute
from shared.language.statements.clauses import split_text
from shared.language.statements.language import statement_language
from shared.language.statements.reading import read_slots
from shared.language.statements.values import ValueReader
from shared.language.statements.whole import recorded
from shared.language.tables import CODES, ENGLISH
from shared.language.text.languages import detect_language

_LONGEST_CHARACTERS = 200
_MOST_SLOTS = 16
_OF_THE_USER = frozenset(("user", "the user", "i", "me", "user's"))


def _as_day(value: object) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


_Day = Annotated[date | None, BeforeValidator(_as_day)]


class StatedSlot(BaseModel):
    """A slot as a model states it."""

    subject: str = "user"
    attribute: str
    value: str | None = None
    negated: bool = False
    valid_from: _Day = None
    valid_until: _Day = None

    @classmethod
    def read(cls, slot: object) -> Self | None:
        """The slot; None if it is malformed."""
        try:
            return cls.model_validate(slot)
        except ValidationError:
            return None

    def slot(self, speaker: str | None, said_at: datetime) -> FactSlot | None:
        """The slot as it is recorded; None if it names no attribute, or is too long."""
        subject, attribute, value = (
            " ".join(each.lower().replace("’", "'").replace("_", " ").split())
            for each in (self.subject, self.attribute, self.value or "")
        )
        if not attribute or max(map(len, (subject, attribute, value))) > _LONGEST_CHARACTERS:
            return None
        starts = _moment(self.valid_from)
        return FactSlot(
            subject=_subject(subject, speaker),
            attribute=attribute,
            value=value or None,
            negated=self.negated,
            valid_from=starts,
            valid_until=_moment(self.valid_until),
            is_future=starts is not None and starts > said_at,
        )


def founded_slots(
    text: str, stated: Sequence[StatedSlot | None], *, speaker: str | None, said_at: datetime
) -> tuple[tuple[FactSlot, ...], int]:
    """The slots of a fact, and how many of the model's were refused.

    What the rules read in the sentence goes first, for they spell attributes and values as they do in all other facts. The
    model adds what they cannot read, if the value is in the sentence.
    """
    slots = list(recorded(read_slots(text, speaker=speaker, user=speaker, said_on=said_at.date()))[0])
    told = {(slot.subject, slot.attribute) for slot in slots}
    refused = 0
    for each in stated:
        slot = None if each is None else each.slot(speaker, said_at)
        if slot is None or not _is_founded(slot, text):
            refused += 1
        elif (slot.subject, slot.attribute) not in told:
            slots.append(slot)
    return tuple(slots[:_MOST_SLOTS]), refused


def _is_founded(slot: FactSlot, fact: str) -> bool:
    """True if the attribute is listed, and the fact has the value, which is of its type. A denial may name no value."""
    if find_attribute(slot.attribute) is None:
        return False
    if slot.value is None:
        return slot.negated
    return _is_of_type(slot.value, slot.attribute, fact)


def _is_of_type(value: str, name: str, text: str) -> bool:
    """Return True if a text has the words of a value, and they are of the attribute's type.

    False for a text in a language without a file.
    """
    code = detect_language(text, ENGLISH)
    if code not in CODES or not (wanted := value.lower().split()):
        return False
    language = statement_language(code)
    reader, kind = ValueReader(language, text != text.lower()), attribute(name).type
    for sentence in split_text(text, language):
        tokens = [token for token in sentence.whole.tokens if token.start < token.end]
        said = [text[token.start : token.end].lower() for token in tokens]
        for start in range(len(said) - len(wanted) + 1):
            end = start + len(wanted)
            if said[start:end] == wanted and reader.read(kind, tokens[start:end]):
                return True
    return False


def _subject(subject: str, speaker: str | None) -> str:
    names = {speaker.lower(), speaker.lower().split()[0]} if speaker and speaker.strip() else set()
    owner, mark, rest = subject.partition("'s ")
    owner = "user" if owner in _OF_THE_USER or owner in names or not owner else owner
    return f"{owner}{mark}{rest}"


def _moment(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), UTC)
