"""What was said last, in messages as chat APIs and frameworks have them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

PERSON = frozenset(("user", "human"))
BOT = frozenset(("assistant", "ai", "AIMessageChunk"))


def new_words(messages: Sequence[Any]) -> str:
    """What the person said since anybody else's last message; empty if the last message is not the person's."""
    new = list(takewhile(lambda message: role_of(message) in PERSON, reversed(messages)))
    return "\n".join(words for message in reversed(new) if (words := words_of(message)))


def last_words(messages: Sequence[Any], *, of: frozenset[str] = PERSON) -> str:
    """What the person said last, or the bot."""
    said = (words_of(message) for message in reversed(messages) if role_of(message) in of)
    return next((words for words in said if words), "")


def role_of(message: object) -> Any:  # noqa: ANN401 - whatever a message has there
    """Who speaks, as the framework calls it."""
    return _get(message, "role") or _get(message, "type")


def words_of(message: object) -> str:
    """The texts of a message."""
    return text_of(_get(message, "content"))


def text_of(content: object) -> str:
    """The texts of a message's content, which is a text or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Iterable) and not isinstance(content, Mapping) else ()
    texts = (part if isinstance(part, str) else _get(part, "text") for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _get(message: object, name: str) -> Any:  # noqa: ANN401 - a field of a message
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)
