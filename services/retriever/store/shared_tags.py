"""The tags of a person's file that other spaces of the person read, and what has them."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from services.retriever.store.memory_row import MemoryRow
from services.retriever.store.schema import shared_tags
from shared.contracts.queries import SharesAnswer, SharesQuery, TagShare
from shared.domain.moments import moment
from shared.domain.sharing import share_id, tag_key
from shared.runtime.bulk import rows_into
from shared.runtime.sqlite import rows, write_rows

_SHARES = rows_into(shared_tags, over=("tag", "with_space", "own_space", "number", "at", "is_on"))
_LOSE = "DELETE FROM shared_tags WHERE number = ?"
_ALL = "SELECT tag_key, recipient, tag, with_space, at FROM shared_tags WHERE is_on ORDER BY tag_key, with_space"
_RECIPIENTS = "SELECT DISTINCT recipient FROM shared_tags"
_GIVEN = "SELECT tag_key, own_space FROM shared_tags WHERE recipient = :recipient AND is_on ORDER BY tag_key"
_SHARED_KINDS = "kind IN ('fact', 'episode') AND valid_until IS NULL"
_TAGGED = f"""
SELECT number, tags FROM memories WHERE tags <> '[]' AND {_SHARED_KINDS}
  AND (instr(tags, '\\u') {{}})
"""
"""Those that may have one of the tags: SQLite folds the case of ASCII letters, and all others are written as `\\u`."""

_MOST_SOUGHT = 100
"""SQLite takes no longer conditions than of 1,000 parts."""


class GivenTags(NamedTuple):
    """What a file gives to another space."""

    tags: frozenset[str]  # as `tag_key` has them
    own_space: str


def write_shares(db: Connection, changed: Sequence[MemoryRow]) -> None:
    """Write what is said of shares, in order."""
    _SHARES.write(db, changed)


def lose_shares(db: Connection, numbers: Iterable[int]) -> None:
    """Delete what these events said of shares."""
    write_rows(db, _LOSE, [(number,) for number in numbers])


def recipients(db: Connection) -> frozenset[str]:
    """Whom anything was ever shared with, as far as that is known."""
    return frozenset(key for (key,) in rows(db, _RECIPIENTS))


def given_to(db: Connection, recipient: str) -> GivenTags | None:
    """What is shared with a space now; None: nothing."""
    found = rows(db, _GIVEN, {"recipient": recipient})
    return GivenTags(frozenset(tag for tag, _ in found), found[0][1]) if found else None


def shared_numbers(db: Connection, tags: Collection[str]) -> dict[int, tuple[str, ...]]:
    """The active facts and turns that have one of these tags, by number, with those of their tags.

    Nothing that is written out of others: it may tell of memories that have no such tag.
    """
    keys = {f"key{number}": json.dumps(tag) for number, tag in enumerate(sorted(tags))}
    likely = "".join(f" OR instr(lower(tags), :{name})" for name in keys) if len(keys) <= _MOST_SOUGHT else " OR 1"
    found = rows(db, _TAGGED.format(likely), keys if len(keys) <= _MOST_SOUGHT else {})
    each = ((number, tuple(tag for tag in json.loads(own) if tag_key(tag) in tags)) for number, own in found)
    return {number: shared for number, shared in each if shared}


def shares(db: Connection, _: SharesQuery, position: int) -> SharesAnswer:
    """What is shared with which space, and how many memories that is."""
    shared = rows(db, _ALL)
    having = shared_numbers(db, {key for key, *_ in shared}) if shared else {}
    keys: list[set[str]] = [set(map(tag_key, tags)) for tags in having.values()]
    return SharesAnswer(
        position=position,
        shares=tuple(_share(*row, memories=sum(row[0] in each for each in keys)) for row in shared),
    )


def _share(key: str, recipient: str, tag: str, with_space: str, at: int, *, memories: int) -> TagShare:
    named = share_id(recipient, key)
    return TagShare(share_id=named, tag=tag, with_space=with_space, since=moment(at), memories=memories)


def no_shares(position: int) -> SharesAnswer:
    """The answer about a person of whom nothing is known."""
    return SharesAnswer(position=position, shares=())
