"""ingest as several processes: each decides for a part of all people, and stands in for others that are not there.

Nobody needs a lease: whoever decides what another has decided meanwhile meets the expected version. So an ingest that is gone
is recognised by its silence, on this machine and on others, and the worst that a mistake costs is a conflict.
"""

import asyncio
from contextlib import suppress
from functools import partial

from services.ingest.app import Ingest, follow
from services.ingest.others import subject_of
from services.ingest.settings import IngestSettings
from shared.contracts.errors import MemstreamError, Misconfigured, OtherWriter
from shared.domain.parts import Part
from shared.runtime.broker import make_broker
from shared.runtime.connection import Client
from shared.runtime.file_lock import FileLock
from shared.runtime.logs import log
from shared.runtime.presence import be_present, is_present
from shared.runtime.service import Service, answer_until, connected
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import end, run_until_one_ends

_LOOK_S = 1.0
_SILENT_LOOKS = 3
"""So often in a row nobody must answer for a part before another stands in: a lost connection is back by then."""
_LEAVING_S = 10.0
_REST_S = 1.0
_FOLLOWED_EVERY_S = 30.0
_OWNER, _ANYBODY = "owner", "there"
"""What is asked of a part: whether its own ingest is there, and whether anybody decides for it."""


class KeptPart:
    """A part of all people, which this process decides for: always, or while its own ingest is not there."""

    def __init__(self, part: Part, runtime: RuntimeSettings, settings: IngestSettings, *, is_own: bool) -> None:
        self.part = part
        self._make = partial(Ingest, runtime, settings, part)
        self._follow = partial(follow, runtime, part)
        self._lock = FileLock(runtime.files.lock(f"ingest-{part.index}-of-{part.count}"))
        self._is_own = is_own
        self._now: Ingest | None = None
        self._next_s = 0.0

    @property
    def is_ready(self) -> bool:
        """True while this process decides for it and has caught up."""
        return self._now is not None and self._now.is_ready

    async def warm(self) -> None:
        """Rehearse what the first turn needs."""
        if self._now is not None:
            await self._now.warm()

    async def run(self, client: Client) -> None:
        """Decide for it whenever it is this process's turn. Raises what ends its own ingest."""
        if self._is_own:
            await be_present(client, subject_of(self.part, _OWNER))
        while True:
            await self._wait_for_turn(client)
            try:
                await self._decide(client)
            except OtherWriter:
                if self._is_own:
                    raise
                log.info("part.left", part=self.part.index, reason=OtherWriter.code)
            finally:
                self._now = None
                self._lock.release()
            await asyncio.sleep(_REST_S)

    async def _wait_for_turn(self, client: Client) -> None:
        """Wait for the lock of its files, and until nobody else decides for it, also on another machine."""
        while True:
            await self._lock.wait()
            if self._is_own:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LEAVING_S):
                        while await self._is_there(client, _ANYBODY):  # noqa: ASYNC110 - it is another process's to tell
                            await asyncio.sleep(_LOOK_S / 10)
                return
            if await self._is_silent(client):
                log.warning("part.stood_in", part=self.part.index, parts=self.part.count)
                return
            await self._keep_up(client)
            self._lock.release()
            await asyncio.sleep(_LOOK_S)

    async def _keep_up(self, client: Client) -> None:
        """Now and then apply the log to this data folder's own file of the part, so that little is left when it is needed."""
        if (now := asyncio.get_running_loop().time()) < self._next_s:
            return
        try:
            await self._follow(client)
        except MemstreamError as error:
            log.warning("part.not_followed", part=self.part.index, reason=error.message)
        self._next_s = now + _FOLLOWED_EVERY_S

    async def _is_silent(self, client: Client) -> bool:
        for look in range(_SILENT_LOOKS):
            await asyncio.sleep(_LOOK_S if look else 0)
            if any(await asyncio.gather(self._is_there(client, _OWNER), self._is_there(client, _ANYBODY))):
                return False
        return True

    async def _is_there(self, client: Client, what: str) -> bool:
        return await is_present(client, subject_of(self.part, what))

    async def _decide(self, client: Client) -> None:
        ingest, leave = self._make(), asyncio.Event()
        async with connected(ingest):
            self._now = ingest
            await be_present(ingest.broker.connection, subject_of(self.part, _ANYBODY))
            watching = asyncio.create_task(self._until_owner_is_there(client, leave))
            try:
                await answer_until(ingest, leave)
            finally:
                await end([watching])

    async def _until_owner_is_there(self, client: Client, leave: asyncio.Event) -> None:
        while not self._is_own:
            await asyncio.sleep(_LOOK_S)
            if client.is_connected and await self._is_there(client, _OWNER):
                log.info("part.given_back", part=self.part.index)
                leave.set()


class IngestOfSeveral:
    """One of several ingests."""

    name = "ingest"

    def __init__(self, runtime: RuntimeSettings, settings: IngestSettings, own: Part, seat: FileLock) -> None:
        self._seat = seat
        self._parts = [KeptPart(part, runtime, settings, is_own=part == own) for part in Part.each(own.count)]
        self._own = self._parts[own.index]
        self.broker = make_broker(runtime, self.name, "One of several writers of the log.")

    @property
    def is_ready(self) -> bool:
        """True when it knows the whole log of its own part."""
        return self._own.is_ready

    async def warm(self) -> None:
        """Rehearse what the first turn needs."""
        await self._own.warm()

    async def run(self) -> None:
        """Decide for its own part, and for those that nobody else decides for, until cancelled."""
        try:
            await run_until_one_ends(*(part.run(self.broker.connection) for part in self._parts))
        finally:
            self._seat.release()


class OnlyIngest(Ingest):
    """The one ingest of a data folder, for all people."""

    def __init__(self, runtime: RuntimeSettings, settings: IngestSettings, seat: FileLock) -> None:
        super().__init__(runtime, settings)
        self._seat = seat

    async def run(self) -> None:
        """Run the lanes until one fails or all are cancelled; then another may have the data folder."""
        try:
            await super().run()
        finally:
            self._seat.release()


def build_alone(runtime: RuntimeSettings) -> Service:
    """Ingest as a process: the only one, or one of several. Raises Misconfigured where another has its part in this folder."""
    settings = IngestSettings()
    own = settings.own_part
    seat = FileLock(runtime.files.lock(f"ingest-seat-{own.index}-of-{own.count}"))
    if not seat.take():
        which = "ingest runs" if own.count == 1 else f"the ingest of part {settings.part} runs"
        raise Misconfigured(f"{which} in another process; stop it first")
    return OnlyIngest(runtime, settings, seat) if own.count == 1 else IngestOfSeveral(runtime, settings, own, seat)


def build_in_up(runtime: RuntimeSettings) -> Service:
    """The ingest of `memstream up`, which has the data folder for itself; others may run on other machines."""
    settings = IngestSettings()
    return Ingest(runtime, settings) if settings.own_part.count == 1 else build_alone(runtime)
