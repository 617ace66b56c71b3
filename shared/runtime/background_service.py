"""A service that works in the background: it follows the log into a worklist, works it off, and answers the operator."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from faststream.nats import NatsBroker

from shared.contracts.errors import NotCaughtUp, Unavailable
from shared.contracts.ids import Scope
from shared.domain.digests import Digester
from shared.runtime.broker import make_broker
from shared.runtime.comparing import LIVE_PATIENCE_S, CompareRequest
from shared.runtime.connection import Client
from shared.runtime.keys import load_keys
from shared.runtime.measured import answer_measured
from shared.runtime.projector import Aside, Projector
from shared.runtime.quarantine import Quarantine, make_quarantine_router
from shared.runtime.rebuilding import remove_leftovers
from shared.runtime.retries import retry_while_unavailable
from shared.runtime.scopes_rebuilt import keep_scopes_rebuilt
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import Work, keep_at, run_until_one_ends
from shared.runtime.topology import check_streams, identify_log
from shared.runtime.worklist import Worklist, rebuild_scope, rebuild_with
from shared.runtime.worklist_comparing import WorklistComparison

W = TypeVar("W", bound=Worklist)
_MOMENT_S = 0.5


class BackgroundService(Generic[W]):
    """A service with a worklist. Subclass it with `name`, `description`, `jobs` and `release`."""

    name: ClassVar[str]
    description: ClassVar[str]
    follows_imports: ClassVar[Literal[True]] = True

    def __init__(self, runtime: RuntimeSettings, make_store: Callable[[Path, Digester], W], *, linger_s: float) -> None:
        self._keys = load_keys(runtime.files.keys)
        folder = runtime.files.projection(self.name)
        remove_leftovers(folder)
        self.store = make_store(folder, self._keys.digester)
        self.broker: NatsBroker = make_broker(runtime, self.name, self.description)
        self.broker.subscriber(f"admin.{self.name}.digests")(self.store.digests)
        self.broker.subscriber(f"admin.{self.name}.compare")(self._compare)
        self._quarantine = Quarantine(self.store, self._rebuild_with)
        self.broker.include_router(
            make_quarantine_router(f"admin.{self.name}", self._quarantine, lambda: self.broker.connection)
        )
        answer_measured(self.broker, self.name)
        self._make_store = lambda folder: make_store(folder, self._keys.digester)
        self._scratch = runtime.files.scratch(self.name)
        self._linger_s = linger_s
        self._projector: Projector | None = None

    @property
    def is_ready(self) -> bool:
        """True from when the worklist first reached the end of the log."""
        return self._projector is not None

    async def warm(self) -> None:
        """Load nothing: nobody waits for what is done in the background."""

    def jobs(self, client: Client) -> Mapping[str, Callable[[], Work]]:
        """What works through the list, for ever, by name. After an error that nobody foresaw it is begun again."""
        raise NotImplementedError

    async def release(self) -> None:
        """Close what the service holds beside its worklist."""

    async def run(self) -> None:
        """Follow the log and work until cancelled. Work begins when the whole log is applied."""
        client = self.broker.connection
        await retry_while_unavailable(lambda: check_streams(client, self._keys))
        projector = Projector(client, self.store)
        try:
            await retry_while_unavailable(projector.catch_up)
            self._projector = projector
            await self._quarantine.retry_at_start(client)
            rebuilt = keep_scopes_rebuilt(self.store, partial(rebuild_scope, client, self.store))
            jobs = (keep_at(work, what=what) for what, work in self.jobs(client).items())
            await run_until_one_ends(projector.run(linger_s=self._linger_s), rebuilt, *jobs)
        finally:
            self.store.close()
            await self.release()

    async def _rebuild_with(self, scope: Scope, aside: Aside) -> None:
        await rebuild_with(self.broker.connection, self.store, scope, aside)

    async def _compare(self, request: CompareRequest) -> dict[str, Any]:
        """Compare the rows of these people with the log."""
        comparison = WorklistComparison(self.broker.connection, self.store, self._make_store, self._scratch)
        return (await comparison.of(request, patience_s=LIVE_PATIENCE_S))._asdict()

    async def follow_to_end(self) -> None:
        """Wait, for a moment at most, until the worklist has applied what the log holds now.

        If the log is far ahead or does not answer, it returns without it.
        """
        if self._projector is not None:
            with suppress(Unavailable, NotCaughtUp):
                end = (await identify_log(self.broker.connection)).last_position
                await self._projector.progress.wait_for(end, _MOMENT_S)
