"""Turns on their way in: whose they are, and their ids."""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from memstream._contracts import ImportedTurn, MessageId


class Owner(NamedTuple):
    """The person whose conversation it is, and the space."""

    space: str
    user: str


class OwnedTurn(NamedTuple):
    """A turn of somebody's past."""

    owner: Owner
    turn: ImportedTurn


def derived_id(*, user: str, session_id: str, ordinal: int, text: str) -> MessageId:
    """The id of a turn that came without one: equal whenever the same file is read again."""
    parts = "\0".join((user, session_id, str(ordinal), text))
    return MessageId(f"imported-{hashlib.blake2b(parts.encode(), digest_size=16).hexdigest()}")


def by_owner(turns: Iterable[OwnedTurn]) -> dict[Owner, list[ImportedTurn]]:
    """Each person's turns, in the order in which they came."""
    owners: dict[Owner, list[ImportedTurn]] = {}
    for owner, turn in turns:
        owners.setdefault(owner, []).append(turn)
    return owners
