"""What messages of other programs say: their text, their time and their role."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import Any

from memstream.importers.turns import BadField

_ROLES = {
    "human": "user",
    "user_message": "user",
    "agent": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "agent_response": "assistant",
    "model": "assistant",
    "developer": "system",
    "system_message": "system",
}
_SECONDS = re.compile(r"-?\d{1,11}(\.\d+)?|\d{12,14}")
_MILLISECONDS_FROM = 10**11


def role_of(value: object) -> object:
    """The role that is meant; what is no role of a chat stays as it is."""
    return _ROLES.get(value.lower(), value.lower()) if isinstance(value, str) else value


def text_of(content: object) -> str:
    """The words of a message: a text, or parts as chat APIs have them, with a line for each and `[image: ...]` for pictures."""
    return "\n".join(part for part in _parts(content) if part).strip()


def _parts(content: object) -> Iterator[str]:
    match content:
        case str():
            yield content
        case list():
            for part in content:
                yield from _parts(part)
        case {"type": "image_url" | "image" | "input_image"} | {"content_type": "image_asset_pointer"}:
            yield _image(content)
        case {"text": str() as text}:
            yield text
        case {"type": "text" | "input_text" | "output_text", "text": {"value": str() as text}}:
            yield text
        case _:
            pass  # calls of tools, their results, files: nobody said them


def _image(part: Any) -> str:  # noqa: ANN401 - as it stands in the file
    caption = next((part[name] for name in ("caption", "alt", "description", "title") if isinstance(part.get(name), str)), None)
    return f"[image: {caption}]" if caption else "[image]"


def moment_of(value: object, *, zone: tzinfo | None, name: str = "occurred_at") -> datetime | None:
    """The moment of an ISO 8601 time, or of seconds or milliseconds since 1970; None of none.

    `zone`: that of times which name none. Raises BadField, also where such a time has no zone.
    """
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadField(name, "it must be a time: ISO 8601, or seconds since 1970")
    if not isinstance(value, str) or _SECONDS.fullmatch(value.strip()):
        return _since_1970(float(value), name)
    try:
        moment = datetime.fromisoformat(value.strip().removesuffix(" UTC"))
    except ValueError as error:
        raise BadField(name, "it must be a time: ISO 8601, or seconds since 1970") from error
    if value.strip().endswith(" UTC"):
        return moment.replace(tzinfo=UTC)
    if moment.tzinfo is None and zone is None:
        raise BadField(name, "the time names no zone; say which with --time-zone")
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _since_1970(number: float, name: str) -> datetime:
    try:
        return datetime.fromtimestamp(number / 1000 if abs(number) >= _MILLISECONDS_FROM else number, UTC)
    except (OverflowError, ValueError, OSError) as error:
        raise BadField(name, "the time lies outside the years 1 to 9999") from error
