"""The ids, names and texts by which a forgotten person or memory could be found in a file."""

import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from shared.contracts.content import Content, ids_of, strings
from shared.contracts.envelope import Envelope
from shared.contracts.ids import MessageId, SessionId, Space, User
from shared.contracts.subjects import encode_token

_PLAIN_WORD = re.compile(rb"[a-z_]+")


def said_in(events: Iterable[Envelope]) -> set[str]:
    """The words, names, tags and ids of their senders that events hold."""
    return {each for event in events for each in _said(event) if each}


def marks_of(said: Iterable[str]) -> set[bytes]:
    """The bytes of these in the forms in which files hold them: in UTF-8, in JSON and percent-encoded."""
    return {form for each in said for form in _forms(each)}


def marks_of_person(space: Space, user: User) -> set[bytes]:
    """The bytes of a person's name, as it is and as subjects have it."""
    token = encode_token(user)
    return marks_of((user, token)) | {f".{encode_token(space)}.{token}.".encode()}


def is_telling(mark: bytes) -> bool:
    """False for a plain word, which may be one of our own: the name of a table, or of a bot."""
    return not _PLAIN_WORD.fullmatch(mark)


def _said(event: Envelope) -> Iterator[str]:
    yield from strings(event.data, Content.WORDS)
    yield from strings(event.data, Content.TRACE)
    yield from ids_of(event.data, SessionId)
    yield from ids_of(event.data, MessageId)
    yield from {event.correlation_id} - {event.causation_id}


def _forms(text: str) -> Iterator[bytes]:
    raw = text.encode("utf-8", "replace")
    yield raw
    yield json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
    yield quote(raw).encode()
