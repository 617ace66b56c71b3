"""What all requests share, and how a route gets at it."""

import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any, cast

from fastapi import Depends, Query, Request, Security
from fastapi.security import APIKeyCookie, HTTPBearer
from pydantic import Field

from services.gateway.access.doorkeeper import Doorkeeper
from services.gateway.access.rates import Rates
from services.gateway.changes import ChangeStreams
from services.gateway.people import People, Person, require_right
from services.gateway.reports import OperatorReports
from services.gateway.sampling import Sampler
from services.gateway.settings import GatewaySettings
from shared.contracts.access import Grant, Right
from shared.contracts.contract import Contract
from shared.contracts.errors import Malformed, Unauthenticated
from shared.runtime.clock import Clock

COOKIE = "memstream"
SECURE_COOKIE = "__Host-memstream"
"""Where people reach us by TLS; a browser takes it from nobody else's page or subdomain."""

_BEARER = HTTPBearer(auto_error=False, description="A token of `memstream token create`, or a JWT.")
_COOKIE = APIKeyCookie(name=COOKIE, auto_error=False, description="What a link is exchanged for.")
SCHEMES = [Security(_BEARER), Security(_COOKIE)]
"""What routes need, for the OpenAPI document."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """What all requests share."""

    settings: GatewaySettings
    clock: Clock
    doorkeeper: Doorkeeper
    people: People
    rates: Rates
    failures: Rates
    changes: ChangeStreams
    reports: OperatorReports
    sampler: Sampler
    base_url: str
    """Where people reach us."""

    @property
    def has_tls(self) -> bool:
        """Whether people reach us by TLS."""
        return (self.settings.url or "").startswith("https://")

    @property
    def cookie_name(self) -> str:
        """The name of the cookie."""
        return SECURE_COOKIE if self.has_tls else COOKIE

    def granted(self, request: Request) -> Grant:
        """What a request may do. Raises Unauthenticated, or TooMany."""
        try:
            grant = self.still_granted(request)
        except Unauthenticated:
            self.note_failure(request)
            raise
        self.rates.take(grant.key, now_s=time.monotonic())
        return grant

    def still_granted(self, request: Request) -> Grant:
        """What a request may do now, after it began; it does not count again. Raises Unauthenticated."""
        return self.doorkeeper.granted(request.headers.get("authorization"), request.cookies.get(self.cookie_name))

    def note_failure(self, request: Request) -> None:
        """Count a request that bears nothing valid. Raises TooMany when there were too many from its address."""
        self.failures.take(request.client.host if request.client else "", now_s=time.monotonic())


def rooms_of(request: Request) -> Rooms:
    """What all requests of this application share."""
    return cast("Rooms", request.app.state.rooms)


SpaceQuery = Annotated[
    str | None, Query(description="The namespace; by default the only one that the bearer may use, else `default`.")
]
UserQuery = Annotated[str | None, Query(description="The person; by default the only one whom the bearer may ask about.")]


class PersonInBody(Contract):
    """A body that may name the person; the URL may do so instead."""

    space: str | None = Field(default=None, description="As in the URL.", examples=["default"])
    user: str | None = Field(default=None, description="As in the URL.")


_NOBODY = PersonInBody()


@dataclass(frozen=True, slots=True)
class BearerRequest:
    """A request of somebody who is known, and whom it names."""

    rooms: Rooms
    grant: Grant
    space: str | None
    user: str | None

    def require(self, right: Right) -> None:
        """Raise NotPermitted without the right."""
        require_right(self.grant, right)

    def person(self, right: Right, body: PersonInBody = _NOBODY) -> Person:
        """The person meant, by the body or by the query of the URL. Raises as `People.covered`."""
        return self.rooms.people.covered(
            self.grant,
            right,
            space=_one(body.space, self.space, "space"),
            user=_one(body.user, self.user, "user"),
        )


def _one(in_body: str | None, in_query: str | None, name: str) -> str | None:
    if in_body is not None and in_query is not None and in_body != in_query:
        raise Malformed(f"the body and the URL name different values of `{name}`")
    return in_query if in_body is None else in_body


async def asking(request: Request, space: SpaceQuery = None, user: UserQuery = None) -> BearerRequest:
    """The request, of somebody who is known. Raises Unauthenticated or TooMany."""
    rooms = rooms_of(request)
    return BearerRequest(rooms, rooms.granted(request), space, user)


KnownBearer = Annotated[BearerRequest, Depends(asking)]


def _person(right: Right) -> Callable[[BearerRequest], Coroutine[Any, Any, Person]]:
    async def person(known: KnownBearer) -> Person:
        return known.person(right)

    return person


MayRead = Annotated[Person, Depends(_person(Right.READ))]
"""The person, of whom the bearer may read."""
MayWrite = Annotated[Person, Depends(_person(Right.WRITE))]
"""The person, for whom the bearer may write."""
MayForget = Annotated[Person, Depends(_person(Right.FORGET))]
"""The person, of whom the bearer may have something forgotten."""
