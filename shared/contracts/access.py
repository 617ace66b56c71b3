"""Who may ask over HTTP for what: rights, and what somebody was granted."""

from dataclasses import dataclass
from enum import StrEnum

from .ids import Space, User


class Right(StrEnum):
    """What somebody may do in the spaces, and for the people, that they were granted."""

    READ = "read"
    WRITE = "write"  # turns, entries, corrections, pins, settings, incognito, imports
    FORGET = "forget"
    LINK = "link"  # hand out links to single people
    OPERATE = "operate"  # what an operator looks at, without anybody's text


OF_A_PERSON = frozenset((Right.READ, Right.WRITE, Right.FORGET))
"""What a person may do with their own memory."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What somebody may do: these rights, in these spaces and for these people; where none is named, all."""

    name: str
    """Who it is, for the audit trail."""
    key: str
    """Tells this grant from every other, without saying whose it is."""
    rights: frozenset[Right]
    spaces: tuple[Space, ...] = ()
    users: tuple[User, ...] = ()

    def covers(self, space: Space, user: User) -> bool:
        """Whether this person in this space is within it."""
        return (not self.spaces or space in self.spaces) and (not self.users or user in self.users)
