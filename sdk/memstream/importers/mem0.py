"""Reads what mem0's `get_all` and its exports return: memories, each of a user, as facts."""

from collections.abc import Mapping
from typing import Any

from memstream.importers.contents import moment_of
from memstream.importers.turns import Assumed, BadField, OwnedFact, known_fact, owner_of

_UNKNOWN = "1970-01-01T00:00:00Z"


def is_one(document: object) -> bool:
    """True for a memory of this form."""
    return isinstance(document, dict) and "memory" in document and "id" in document


def fact(document: Mapping[str, Any], assumed: Assumed) -> OwnedFact:
    """One memory. Its time is that of its last change. Raises BadField."""
    if not is_one(document):
        raise BadField("memory", "there is none, or no id")
    owner = owner_of(None, document.get("user_id"), default=assumed.owner)
    told_at = moment_of(document.get("updated_at") or document.get("created_at"), zone=assumed.zone, name="created_at")
    return known_fact(
        owner,
        source="mem0",
        key=str(document["id"]),
        text=document["memory"],
        told_at=told_at or _UNKNOWN,
        tags=[tag for tag in document.get("categories") or () if isinstance(tag, str)],
    )
