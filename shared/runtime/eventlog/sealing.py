"""Seals events as they go into the log, each under the newest key of its person, and erases the keys of who is forgotten."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import NamedTuple, Self

from shared.contracts.errors import Unavailable
from shared.contracts.ids import Scope
from shared.contracts.privacy import UserForgotten
from shared.contracts.subjects import scope_of_subject
from shared.runtime.connection import Client
from shared.runtime.eventlog.new_event import NewEvent
from shared.runtime.eventlog.read import StreamReader
from shared.runtime.logs import log
from shared.runtime.person_keys import PersonKeys, keys_of
from shared.runtime.tasks import in_thread
from shared.runtime.topology import MEMORY

_Under = tuple[Scope, int]
"""Whose key, and how often the same events forgot the person before."""


class SealedAppend(NamedTuple):
    """Events as they lie in the log, and the keys that nobody needs any more once they are there."""

    keys: PersonKeys
    events: Sequence[NewEvent]
    spent: Mapping[Scope, Sequence[int]]

    @classmethod
    async def of(cls, keys: PersonKeys, events: Sequence[NewEvent]) -> Self:
        """Seal what names its person; what follows their being forgotten as a whole, under a new key.

        Raises Unavailable where no key can be written.
        """
        if not keys.is_used:
            return cls(keys, events, {})
        forgotten: Counter[Scope] = Counter()
        under = list(_under(events, forgotten))
        wanted = dict.fromkeys(each for event, each in zip(events, under, strict=True) if event.names and keys.seals)
        known = {scope: keys.numbers_of(scope) for scope in {*forgotten, *(scope for scope, _ in wanted)}}
        made = await _made(keys, [(scope, age) for scope, age in wanted if age or not known[scope]])
        numbers = {each: made.get(each) or known[each[0]][-1] for each in wanted}
        sealed = [_sealed(keys, event, numbers.get(each)) for event, each in zip(events, under, strict=True)]
        spent = {
            scope: [*known[scope], *(number for (of, age), number in made.items() if of == scope and age < last)]
            for scope, last in forgotten.items()
        }
        return cls(keys, sealed, spent)

    async def done(self) -> None:
        """Erase the keys of who is forgotten, now that the log says so. What fails here is done with the erasure."""
        for scope, numbers in self.spent.items():
            try:
                await in_thread(self.keys.erase, scope, numbers)
            except OSError as error:
                log.error("person_key.not_erased", scope=scope, reason=type(error).__name__)


async def require_keys(client: Client) -> None:
    """Raises Misconfigured where keys would be made beside those that seal the log, and are lost; Unavailable."""
    keys = keys_of(client)
    if not keys.seals or keys.is_there:
        return
    async with aclosing(StreamReader(client, MEMORY).to_end()) as batches:  # once: from the first event on there are keys
        async for batch in batches:
            for delivery in batch:
                keys.opened(delivery.data, "", delivery.subject)


def _under(events: Sequence[NewEvent], forgotten: Counter[Scope]) -> Iterator[_Under]:
    for event in events:
        scope = scope_of_subject(event.subject)
        if event.subject.endswith(f".{UserForgotten.event_type}"):
            forgotten[scope] += 1
        yield scope, forgotten[scope]


async def _made(keys: PersonKeys, new: Sequence[_Under]) -> dict[_Under, int]:
    if not new:
        return {}
    try:
        return dict(zip(new, await in_thread(keys.make, [scope for scope, _ in new]), strict=True))
    except OSError as error:
        raise Unavailable("no key for a person can be written; is the disk full?") from error


def _sealed(keys: PersonKeys, event: NewEvent, number: int | None) -> NewEvent:
    if number is None or not event.names:
        return event
    return event._replace(data=keys.sealed(number, event.data, event.event_id, event.subject))
