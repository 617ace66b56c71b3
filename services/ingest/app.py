"""The composition root of ingest."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from services.ingest.admission import Meters
from services.ingest.comparing import StoreComparison
from services.ingest.drain import Purging, keep_drained
from services.ingest.eraser import Eraser
from services.ingest.forgetting_queries import ForgettingQueries
from services.ingest.grace import GraceTimes
from services.ingest.handlers import answer_directly, make_router
from services.ingest.import_pace import ImportPace
from services.ingest.lane import Lane
from services.ingest.outcomes import Outcomes
from services.ingest.rehearsal import rehearse
from services.ingest.rejected import DeadLetters
from services.ingest.saving import keep_saved
from services.ingest.settings import IngestSettings
from services.ingest.store import Store
from services.ingest.stream_sizes import measure_streams
from services.ingest.traces import Traces
from shared.contracts.ids import Slot
from shared.contracts.subjects import SLOTS
from shared.runtime.bounded_labels import SpaceLabels
from shared.runtime.broker import make_broker
from shared.runtime.clock import SystemClock
from shared.runtime.comparing import LIVE_PATIENCE_S, CompareRequest, Comparison
from shared.runtime.gate import Gate
from shared.runtime.keys import load_keys
from shared.runtime.languages import chat_languages
from shared.runtime.measured import answer_measured
from shared.runtime.rebuilding import remove_leftovers
from shared.runtime.retries import retry_while_unavailable
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import in_thread, run_until_one_ends
from shared.runtime.topology import MEMORY, REJECTED, SEND, check_streams, identify_log


class Ingest:
    """The service: a broker with the outcome query, and the lanes."""

    name = "ingest"

    def __init__(self, runtime: RuntimeSettings, settings: IngestSettings) -> None:
        self._settings = settings
        self._policy = replace(settings.policy, languages=chat_languages(runtime), sharing=runtime.sharing)
        self._keys = load_keys(runtime.files.keys)
        remove_leftovers(runtime.files.projection("ingest"))
        self._store = Store(runtime.files.projection("ingest"), self._keys.digester)
        self._lanes: list[Lane] = []
        self._lane_of: dict[Slot, Lane] = {}  # empty until the log is known
        self._clock = SystemClock()
        self._meters = Meters(bot=settings.bot_allowance, person=settings.person_allowance)
        self._pace = ImportPace()
        self._letters = DeadLetters(self._keys.digester)
        self._space_labels = SpaceLabels(runtime.metrics_spaces)
        self._outcomes = Outcomes(self._store, self._keys, self._lane_of, self._letters.reason_of)
        self._receipts = ForgettingQueries(self._store, self._keys, self._clock)
        self._backups = runtime.files.backups
        self._scratch = runtime.files.scratch("ingest")
        self._traces = Traces(runtime.files)
        self._purging = Purging()
        self._opened = asyncio.Event()
        self.broker = make_broker(runtime, self.name, "The one writer of the log.", opened=self._opened)
        answer_directly(self.broker, self._outcomes)
        self.broker.include_router(make_router(self._receipts, self._store, self._letters, self._purging, self._compare))
        answer_measured(self.broker, self.name)

    @property
    def is_ready(self) -> bool:
        """True when every lane knows the whole log."""
        return bool(self._lanes) and all(lane.is_caught_up for lane in self._lanes)

    async def warm(self) -> None:
        """Rehearse what the first turn needs."""
        await in_thread(rehearse, self._keys.digester, self._policy, now=self._clock.now())

    async def run(self) -> None:
        """Run the lanes until one fails or all are cancelled."""
        await retry_while_unavailable(self._prepare)
        try:
            drained = keep_drained(self.broker.connection, self._lanes, self._store, self._outcomes.decided, self._purging)
            eraser = Eraser(
                client=self.broker.connection,
                store=self._store,
                lanes=self._lane_of,
                backups=self._names_of_backups,
                traces=self._traces,
            )
            graces = GraceTimes(client=self.broker.connection, store=self._store, lanes=self._lane_of, clock=self._clock)
            self._receipts.open(self.broker.connection, eraser)
            await Gate(self.broker.connection, self._keys.digester).open()
            self._opened.set()
            told = measure_streams(self.broker.connection)
            works = drained, told, eraser.run(), graces.run(), keep_saved(self._store)
            await run_until_one_ends(*(lane.run() for lane in self._lanes), *works)
        finally:
            self._store.close()

    async def _compare(self, request: CompareRequest) -> Comparison:
        comparison = StoreComparison(self.broker.connection, self._store, self._keys.digester, self._scratch)
        return await comparison.of(request, patience_s=LIVE_PATIENCE_S)

    def _names_of_backups(self) -> list[str]:
        """Names of the backups, which a receipt must list: nothing is erased from them."""
        return sorted(path.name for path in self._backups.iterdir()) if self._backups.is_dir() else []

    async def _prepare(self) -> None:
        client = self.broker.connection
        await check_streams(client, self._keys, (MEMORY, SEND, REJECTED))
        await self._letters.learn(client)
        send_id = (await identify_log(client, SEND)).log_id
        self._store.follow_send(send_id)
        self._lanes = [self._lane(index, send_id) for index in range(self._settings.lanes)]
        self._lane_of.update({slot: lane for lane in self._lanes for slot in lane.slots})

    def _lane(self, index: int, send_id: str) -> Lane:
        count = self._settings.lanes
        return Lane(
            name=f"lane-{index}-of-{count}",
            client=self.broker.connection,
            store=self._store,
            keys=self._keys,
            send_id=send_id,
            slots=slots_of_lane(index, count),
            fetch=self._settings.fetch,
            clock=self._clock,
            policy=self._policy,
            on_decided=self._outcomes.decided.tell,
            meters=self._meters,
            pace=self._pace,
            letters=self._letters,
            spaces=self._space_labels,
        )


def slots_of_lane(index: int, lanes: int) -> Sequence[Slot]:
    """The slots of a lane. Every slot belongs to exactly one lane."""
    return [Slot(slot) for slot in range(index, SLOTS, lanes)]


def build(runtime: RuntimeSettings) -> Ingest:
    """Compose ingest, with its settings from the environment."""
    return Ingest(runtime, IngestSettings())
