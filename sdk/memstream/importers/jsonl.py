"""Reads one JSON object a line: `role`, `session_id`, `text`, and as they are known `user`, `space`, `message_id`,
`occurred_at`, `speaker`, `metadata`. Other common names of the same things are understood.
"""  # noqa: D205 - the list is the sentence

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import from_json

from memstream._contracts import ImportedTurn, InvalidToken, Malformed, Rejected, encode_token
from memstream.importers.turns import OwnedTurn, Owner, derived_id

_FIELDS = {
    "text": ("text", "content", "message"),
    "occurred_at": ("occurred_at", "timestamp", "created_at"),
    "session_id": ("session_id", "session", "conversation_id", "thread_id"),
    "role": ("role", "what", "type"),
    "message_id": ("message_id", "id"),
    "speaker": ("speaker", "name"),
    "metadata": ("metadata",),
    "user": ("user", "user_id"),
    "space": ("space",),
}
_NAME = {alias: field for field, aliases in _FIELDS.items() for alias in aliases}
_ROLES = {
    "human": "user",
    "user_message": "user",
    "agent": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "agent_response": "assistant",
    "system_message": "system",
}
_MOST_PROBLEMS = 3


class BadLine(NamedTuple):
    """A line that is no turn, and what to do about it. Never what it says."""

    number: int
    problem: str


class Parsed(NamedTuple):
    """The turns of a file, and its lines that are none."""

    turns: list[OwnedTurn]
    bad_lines: list[BadLine]


def parse(lines: Iterable[str], *, owner: Owner) -> Parsed:
    """Read all lines; `owner` has the turns that do not name a user or space. Empty lines are skipped."""
    parsed = Parsed([], [])
    ordinals: dict[tuple[Owner, str], int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            whose, turn = _read(line, owner)
        except Rejected as error:
            parsed.bad_lines.append(BadLine(number, error.message))
            continue
        ordinal = ordinals[whose, turn.session_id] = ordinals.get((whose, turn.session_id), -1) + 1
        parsed.turns.append(OwnedTurn(whose, _named(turn, whose, ordinal)))
    return parsed


def _read(line: str, owner: Owner) -> OwnedTurn:
    try:
        document = from_json(line)
    except ValueError as error:
        raise Malformed("not JSON; write one JSON object a line") from error
    if not isinstance(document, dict):
        raise Malformed("not a JSON object; write one JSON object a line")
    fields = dict(_translated(document))
    whose = Owner(_id(fields.pop("space", None), owner.space), _id(fields.pop("user", None), owner.user))
    return OwnedTurn(whose, _turn(fields))


def _translated(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    seen: dict[str, str] = {}
    for key, value in document.items():
        field = _NAME.get(key)
        if field is None:
            raise Malformed(f"unknown field {key!r}; known are {', '.join(_FIELDS)}; put your own under metadata")
        if field in seen:
            raise Malformed(f"{seen[field]!r} and {key!r} say the same; keep one")
        seen[field] = key
        if value is not None:
            yield field, _ROLES.get(value, value) if field == "role" and isinstance(value, str) else value


def _id(value: object, default: str) -> str:
    if value is None:
        return default
    if not isinstance(value, str):
        raise Malformed("user and space must be strings")
    try:
        encode_token(value)
    except InvalidToken as error:
        raise Malformed(f"user or space: {error.message}") from error
    return value


def _turn(fields: Mapping[str, Any]) -> ImportedTurn:
    try:
        return ImportedTurn.model_validate(fields)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False, include_context=False)[:_MOST_PROBLEMS]
        raise Malformed("; ".join(f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in problems)) from error


def _named(turn: ImportedTurn, owner: Owner, ordinal: int) -> ImportedTurn:
    if turn.message_id is not None:
        return turn
    message_id = derived_id(user=owner.user, session_id=turn.session_id, ordinal=ordinal, text=turn.text)
    return turn.model_copy(update={"message_id": message_id})
