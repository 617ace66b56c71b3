"""One person's memory, as far as whoever asks may reach it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from memstream.client import Memories, MemoryClient
from shared.contracts.access import Grant, Right
from shared.contracts.errors import Malformed, NotFound, NotPermitted
from shared.contracts.ids import Space, User
from shared.contracts.queries import Asked
from shared.contracts.subjects import encode_token

_Named = TypeVar("_Named", Space, User)

DEFAULT_SPACE = Space("default")
_MARGIN_S = 2.0
"""For the way there and back, beyond what a service itself waits."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person in a space, whom a grant covers."""

    memories: Memories
    space: Space
    user: User
    grant: Grant
    make_stamp: Callable[..., str]

    def stamp(self, text: str) -> str:
        """What only we can put beside a text, for this person alone."""
        return self.make_stamp(self.space, self.user, text)

    async def ask(self, query: Asked) -> bytes:
        """The answer to a query, as it came. Raises the MemstreamError that it tells of."""
        payload = query.model_dump_json(exclude_unset=True).encode()
        return await self.memories.ask_raw(query.query_name, payload, timeout_s=query.timeout_s + _MARGIN_S)


class People:
    """Everybody, over one connection."""

    def __init__(self, client: MemoryClient, make_stamp: Callable[..., str]) -> None:
        self._client = client
        self._make_stamp = make_stamp

    def covered(self, grant: Grant, right: Right, *, space: str | None, user: str | None) -> Person:
        """The person whom a request names, or the only one whom its grant covers.

        Raises NotPermitted without the right; NotFound for whom it does not cover, be they there or not; Malformed.
        """
        require_right(grant, right)
        chosen = Space(space) if space is not None else _only(grant.spaces) or DEFAULT_SPACE
        named = User(user) if user is not None else _only(grant.users)
        if named is None:
            raise Malformed("say whose memory is meant: `user`")
        if not grant.covers(chosen, named):
            raise NotFound
        encode_token(chosen, "space")  # raises InvalidToken
        encode_token(named, "user id")
        memories = self._client.for_user(named, space=chosen, actor=f"http/{grant.name}")
        return Person(memories, chosen, named, grant, self._make_stamp)


def require_right(grant: Grant, right: Right) -> None:
    """Raise NotPermitted where a grant has not this right."""
    if right not in grant.rights:
        raise NotPermitted(f"this needs the right `{right}`; a token with it: `memstream token create --right {right}`")


def _only(named: Sequence[_Named]) -> _Named | None:
    """The one that is named, if it is one."""
    return named[0] if len(named) == 1 else None
