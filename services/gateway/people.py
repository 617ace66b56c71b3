"""One person's memory, as far as whoever asks may reach it."""

from collections.abc import Sequence
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

    async def ask(self, query: Asked) -> bytes:
        """The answer to a query, as it came. Raises the MemstreamError that it tells of."""
        payload = query.model_dump_json(exclude_unset=True).encode()
        return await self.memories.ask_raw(query.query_name, payload, timeout_s=query.timeout_s + _MARGIN_S)


class People:
    """Everybody, over one connection."""

    def __init__(self, client: MemoryClient) -> None:
        self._client = client

    def covered(self, grant: Grant, right: Right, *, space: str | None, user: str | None) -> Person:
        """The person whom a request names, or the only one whom its grant covers.

        Raises NotPermitted without the right; NotFound for whom it does not cover, be they there or not; Malformed.
        """
        if right not in grant.rights:
            raise NotPermitted(
                f"this needs the right `{right}`; make a token with it: `memstream token create --right {right}`"
            )
        chosen = Space(space) if space is not None else _only(grant.spaces) or DEFAULT_SPACE
        named = User(user) if user is not None else _only(grant.users)
        if named is None:
            raise Malformed("say whose memory is meant: `user`")
        if not grant.covers(chosen, named):
            raise NotFound
        encode_token(chosen, "space")  # raises InvalidToken
        encode_token(named, "user id")
        memories = self._client.for_user(named, space=chosen, actor=f"http/{grant.name}")
        return Person(memories, chosen, named, grant)


def _only(named: Sequence[_Named]) -> _Named | None:
    """The one that is named, if it is one."""
    return named[0] if len(named) == 1 else None
