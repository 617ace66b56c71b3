"""Puts masks in the place of secrets, before anything is decided: neither the log nor a dead letter ever holds them.

A mask says what was there, and by a keyed digest which it was: `••••kqxzbdfg [pin]`. So the same secret of the same person is
known again, and whoever lacks the installation's key cannot try the ten thousand PINs.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel
from pydantic_core import from_json

from shared.contracts.ageing import SaveRollup
from shared.contracts.command import Channel, Command
from shared.contracts.commands import SaveFacts
from shared.contracts.content import Content, fields_with
from shared.contracts.event import EventData
from shared.contracts.ids import Scope
from shared.contracts.moving import ImportedRecord
from shared.contracts.parts import Embedding
from shared.contracts.reflecting import SaveReflection
from shared.domain.digests import Digester
from shared.domain.pauses import may_pause
from shared.language.text.entities import find_entities
from shared.language.text.secret_shapes import plain_digits
from shared.language.text.secrets import find_secrets, masked_as

_LETTERS = "bcdfghjklmnpqrstvwxz"
_KNOWN_BY = 8
_GAPS = str.maketrans("", "", " .-\u00a0\u2009\u202f\u2010\u2011\u2013_/")
_SHOWN_AS_NUMBER = 10**11
_MOST_ROUNDS = 4
_SHORT = 32

_Contract = TypeVar("_Contract", bound=BaseModel)


class WithoutSecrets(NamedTuple):
    """What is left when secrets are masked, and the kinds of those that were."""

    said: Any
    kinds: tuple[str, ...]


def masked(command: Command, *, scope: Scope, digester: Digester) -> WithoutSecrets:
    """A command with a mask for each secret in its words, tags, names and metadata. Its ids stay as they are."""
    if command.channel is Channel.WORK and not isinstance(command, SaveFacts | SaveReflection | SaveRollup):
        return WithoutSecrets(command, ())
    return masked_in(command, scope=scope, digester=digester)


def masked_in(said: _Contract, *, scope: Scope, digester: Digester) -> WithoutSecrets:
    """A contract with a mask for each secret in its words."""
    masking = _Masking(scope, digester)
    return WithoutSecrets(masking.of(said), tuple(masking.kinds))


def kinds_in(payload: bytes) -> tuple[str, ...]:
    """The kinds of the secrets in a payload, which may be anything."""
    try:
        document = from_json(payload)
    except ValueError:
        document = payload.decode("utf-8", "replace")
    masking = _Masking(Scope(""), Digester(b""))
    masking.of(document)
    return tuple(masking.kinds)


@cache
def _worded(contract: type[BaseModel]) -> tuple[str, ...]:
    """The fields of a contract that may hold a secret, in its order."""
    names = {*fields_with(contract, Content.WORDS), *fields_with(contract, Content.TRACE)}
    return tuple(name for name in contract.model_fields if name in names)


class _Masking:
    """Masks what it is given, and notes the kinds in the order in which they come."""

    def __init__(self, scope: Scope, digester: Digester) -> None:
        self._scope = scope
        self._digester = digester
        self.kinds: dict[str, None] = {}
        self._known: dict[str, str] = {}  # short texts, such as speakers, come with every turn

    def of(self, value: Any) -> Any:  # noqa: ANN401 - what a contract or JSON may hold
        """The value, or one like it with masks."""
        masked_value = value
        match value:
            case str():
                masked_value = self._text(value) if len(value) > _SHORT else self._known_text(value)
            case ImportedRecord():
                masked_value = self._record(value)
            case BaseModel() if not isinstance(value, Embedding):
                masked_value = self._model(value)
            case Mapping():
                masked_value = {self.of(key): self._valued(key, each) for key, each in value.items()}
            case list() | tuple():
                masked_value = type(value)(self.of(each) for each in value)
            case int() if value > _SHOWN_AS_NUMBER:
                shown = self._text(str(value))
                masked_value = value if shown == str(value) else shown
        return masked_value

    def _known_text(self, text: str) -> str:
        if text not in self._known:
            self._known[text] = self._text(text)
        return self._known[text]

    def _text(self, text: str) -> str:
        """What stands beside a mask may show only then what it is: `hunter2 is password is 4711`."""
        may_pause()
        for _ in range(_MOST_ROUNDS):
            before, text = text, self._once(text)
            if text == before:
                break
        return text

    def _once(self, text: str) -> str:
        parts, at = [], 0
        for secret in find_secrets(text):
            self.kinds[secret.kind] = None
            told = text[secret.start : secret.end]
            parts += [text[at : secret.start], masked_as(secret.kind, known_by(told, self._scope, self._digester))]
            at = secret.end
        return "".join((*parts, text[at:])) if parts else text

    def _valued(self, key: object, value: Any) -> Any:  # noqa: ANN401 - JSON
        """The value of a field: its name may say what it is."""
        if not isinstance(key, str) or isinstance(value, bool) or not isinstance(value, str | int):
            return self.of(value)
        beside = f"{key.replace('_', ' ')}: "
        shown = self._text(f"{beside}{value}")
        return shown.removeprefix(beside) if shown != f"{beside}{value}" and shown.startswith(beside) else self.of(value)

    def _model(self, said: _Contract) -> _Contract:
        changed = {}
        for name in _worded(type(said)):
            value = getattr(said, name)
            if value is not None and (new := self.of(value)) != value:
                changed[name] = new
        return said.model_copy(update=changed) if changed else said

    def _record(self, record: ImportedRecord) -> ImportedRecord:
        said = self._model(record.said)
        if said is record.said:
            return record
        said = _as_it_reads(record.said, said)
        return record.model_copy(update={"said": said, "data": said.model_dump(mode="json")})


def _as_it_reads(before: EventData, after: EventData) -> EventData:
    """An event whose words were masked, with the places in them as they are now."""
    text, changed = getattr(after, "text", None), {}
    if text is None or text == getattr(before, "text", None):
        return after
    if "entities" in type(after).model_fields:
        changed["entities"] = find_entities(text)
    if echoes := getattr(after, "echoes", ()):
        kept = next(place for place, (old, new) in enumerate(zip(f"{before.text}\0", f"{text}\1", strict=False)) if old != new)  # type: ignore[attr-defined]
        changed["echoes"] = tuple(echo for echo in echoes if echo.end <= kept)
    return after.model_copy(update=changed)


def known_by(secret: str, scope: Scope, digester: Digester) -> str:
    """Letters that stand for a secret of a person: no vowels, so that they are no word."""
    bare = secret.translate(_GAPS)
    told = plain_digits(bare) if bare.isdecimal() else secret.rstrip("!")
    number = int.from_bytes(digester.digest("secret", scope, told), "big")
    letters = []
    for _ in range(_KNOWN_BY):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)
