"""Whose memory a run is about, as the framework's own run context tells it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memstream._contracts import Misconfigured

SCOPE_FIELDS = ("user_id", "user", "session_id", "thread_id", "conversation_id", "speaker", "message_id")
"""What is read of a run context."""

_USER = ("user_id", "user")
_SESSION = ("session_id", "thread_id", "conversation_id")


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """Whose memory a run is about. Give it as the framework's run context, or a context of your own that has such fields."""

    user: str
    session_id: str
    speaker: str | None = None
    """Who of several people speaks, by name."""

    space: str | None = None
    """The client's, if it is not given. Only a MemoryScope can name another."""

    message_id: str | None = None
    """The platform's id of the message that is answered: recording it twice is harmless, and it can be forgotten by it."""


def scope_of(context: object) -> MemoryScope:
    """The scope that a run context tells: an object or a mapping with `user_id`, `session_id` and perhaps `speaker`.

    `user`, and `thread_id` or `conversation_id`, are read as well. Raises Misconfigured if there is no person or no session.
    """
    if isinstance(context, MemoryScope):
        return context
    user, session_id = _first(context, _USER), _first(context, _SESSION)
    if user is None or session_id is None:
        missing = _USER if user is None else _SESSION
        raise Misconfigured(f"the run context has no {' or '.join(missing)}; give a MemoryScope, or `scope_of`")
    speaker, message_id = _first(context, ("speaker",)), _first(context, ("message_id",))
    return MemoryScope(user, session_id, speaker=speaker, message_id=message_id)


def _first(context: object, names: tuple[str, ...]) -> str | None:
    """The first of these that is there and not empty; numbers, as databases give them, become text."""
    found = (_get(context, name) for name in names)
    return next((str(each) for each in found if isinstance(each, str | int) and str(each)), None)


def _get(context: object, name: str) -> Any:  # noqa: ANN401 - whatever the bot's author put there
    return context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)
