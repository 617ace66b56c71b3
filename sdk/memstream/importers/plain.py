"""Records with a field for each thing: `role`, `session_id`, `text`, and as they are known `user`, `space`, `message_id`,
`occurred_at`, `speaker`, `metadata`. Other common names of the same things are understood.
"""  # noqa: D205 - the list is the sentence

from collections.abc import Iterator, Mapping
from typing import Any

from memstream.importers.contents import moment_of, role_of
from memstream.importers.turns import Assumed, BadField, OwnedTurn, owner_of, turn_of

FIELDS = {
    "text": ("text", "content", "message"),
    "occurred_at": ("occurred_at", "timestamp", "created_at", "time", "date"),
    "session_id": ("session_id", "session", "conversation_id", "thread_id", "conversation", "thread"),
    "role": ("role", "what", "type", "sender"),
    "message_id": ("message_id", "id"),
    "speaker": ("speaker", "name", "author"),
    "metadata": ("metadata",),
    "user": ("user", "user_id"),
    "space": ("space", "namespace"),
}
_NAME = {alias: field for field, aliases in FIELDS.items() for alias in aliases}


def field_of(name: str) -> str | None:
    """The field that is meant by a name; None if no field is."""
    return _NAME.get(name)


def turn_in(document: Mapping[str, Any], assumed: Assumed) -> OwnedTurn:
    """The turn that a record says, still without an id if it has none. Raises BadField."""
    fields = dict(_translated(document))
    owner = owner_of(fields.pop("space", None), fields.pop("user", None), default=assumed.owner)
    if "role" in fields:
        fields["role"] = role_of(fields["role"])
    if assumed.session_id is not None:
        fields.setdefault("session_id", assumed.session_id)
    if "occurred_at" in fields:
        fields["occurred_at"] = moment_of(fields["occurred_at"], zone=assumed.zone)
    return OwnedTurn(owner, turn_of(fields))


def _translated(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    seen: dict[str, str] = {}
    for key, value in document.items():
        field = field_of(key)
        if field is None:
            raise BadField(key, f"unknown field; known are {', '.join(FIELDS)}; put your own under metadata")
        if field in seen:
            raise BadField(key, f"{seen[field]!r} and {key!r} say the same; keep one")
        seen[field] = key
        if value is not None:
            yield field, value
