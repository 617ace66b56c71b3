"""The composition root of ingest."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from services.ingest.admission import Meters
from services.ingest.comparing import StoreComparison
from services.ingest.drain import Purging, keep_drained, keep_forgetting
from services.ingest.eraser import Eraser
from services.ingest.forgetting_queries import ForgettingQueries
from services.ingest.grace import GraceTimes
from services.ingest.handlers import answer_directly, make_hold_router, make_router
from services.ingest.import_pace import ImportPace
from services.ingest.lane import Lane
from services.ingest.others import Others
from services.ingest.outcomes import Outcomes
from services.ingest.previewing import preview
from services.ingest.projection import IngestProjection
from services.ingest.rehearsal import rehearse
from services.ingest.rejected import DeadLetters
from services.ingest.reports import IngestPartReports, IngestReports, report_router
from services.ingest.saving import keep_saved
from services.ingest.settings import IngestSettings
from services.ingest.store import Store
from services.ingest.stream_sizes import measure_streams
from services.ingest.traces import Traces
from shared.contracts.commands import LearningPreview
from shared.contracts.errors import Unavailable
from shared.contracts.ids import Slot
from shared.contracts.subjects import INGEST_PART, slot_filter, slot_of
from shared.domain.parts import WHOLE, Part
from shared.runtime.bounded_labels import SpaceLabels
from shared.runtime.broker import make_broker
from shared.runtime.clock import SystemClock
from shared.runtime.comparing import LIVE_PATIENCE_S, CompareRequest, Comparison
from shared.runtime.connection import Client
from shared.runtime.datadir import DataDir
from shared.runtime.eventlog.sealing import require_keys
from shared.runtime.gate import Gate
from shared.runtime.keys import load_keys
from shared.runtime.languages import chat_languages
from shared.runtime.passing_on import PassingOn
from shared.runtime.projector import Projector
from shared.runtime.rebuilding import remove_leftovers
from shared.runtime.retries import retry_while_unavailable
from shared.runtime.sending import backlog_of, floors_of
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import Work, in_thread, keep_at, run_until_one_ends
from shared.runtime.topology import MEMORY, REJECTED, SEND, check_streams, identify_log

_TAKING_OVER_S = 10.0
"""So long nobody may decide for a part whose ingest has died."""


class Ingest:
    """The service: a broker with the outcome query, and the lanes."""

    name = "ingest"

    def __init__(self, runtime: RuntimeSettings, settings: IngestSettings, part: Part = WHOLE) -> None:
        """`part`: for whom it decides. Nobody else in this data folder may do so meanwhile."""
        self._settings = settings
        self._part = part
        self._policy = replace(settings.policy, languages=chat_languages(runtime), sharing=runtime.sharing)
        self._keys = load_keys(runtime.files.keys)
        folder = folder_of(runtime.files, part)
        remove_leftovers(folder)
        self._store = Store(folder, self._keys.digester)
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
        passing_on = PassingOn(part, INGEST_PART, patience_s=_TAKING_OVER_S)
        self.broker = make_broker(runtime, self.name, "The one writer of the log.", opened=self._opened, passing_on=passing_on)
        self.broker.person_keys.seals = settings.seal
        answer_directly(self.broker, self._outcomes)
        self.broker.include_router(make_router(self._receipts))
        if passing_on.own:
            self.broker.include_router(make_router(self._receipts), prefix=passing_on.own, include_in_schema=False)
        self._others = Others(part, lambda: self.broker.connection)
        self._report()

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
            eraser = Eraser(
                client=self.broker.connection,
                store=self._store,
                lanes=self._lane_of,
                backups=self._names_of_backups,
                traces=self._traces,
            )
            graces = GraceTimes(client=self.broker.connection, store=self._store, lanes=self._lane_of, clock=self._clock)
            self._receipts.open(self.broker.connection, eraser)
            if self._part.index == 0:  # one gate, which keeps each bot's order
                await Gate(self.broker.connection, self._keys.digester).open()
            await self._others.tell_floor(self._floor)
            self._opened.set()
            works: dict[str, Callable[[], Work]] = {
                "draining": self._keep_drained,
                "measuring": partial(measure_streams, self.broker.connection),
                "erasing": eraser.run,
                "grace": graces.run,
                "saving": partial(keep_saved, self._store),
            }
            kept = (keep_at(work, what=what) for what, work in works.items())
            await run_until_one_ends(*(lane.run() for lane in self._lanes), *kept)
        finally:
            self._store.close()

    def _report(self) -> None:
        """Answer the operator: the ingest of the first part for all of them."""
        reports = IngestPartReports(self._store, self._letters, self._compare, self._backlog, self._preview)
        if self._part.count > 1:
            self.broker.include_router(report_router(reports, self._others.before), include_in_schema=False)
        if self._part.index == 0:
            self.broker.include_router(report_router(IngestReports(reports, self._others), "admin.ingest"))
            self.broker.include_router(make_hold_router(self._purging))

    async def _keep_drained(self) -> None:
        client = self.broker.connection
        if self._part.index:
            await keep_forgetting(client, self._store)
            return
        others = self._others.floors if self._part.count > 1 else None
        await keep_drained(client, self._lanes, self._store, self._outcomes.decided, self._purging, others=others)

    async def _floor(self, last_sequence: int) -> int:
        """Up to where all lanes have decided what concerns them, of what SEND had up to a sequence."""
        floors = await floors_of(self.broker.connection, [lane.progress for lane in self._lanes], last_sequence)
        return min(floors, default=0)

    async def _backlog(self) -> dict[str, int]:
        """How many messages each lane has not decided. Raises Unavailable until that is known."""
        if not self._lanes:
            raise Unavailable("ingest has not read yet what was sent")
        return await backlog_of(self.broker.connection, {lane.name: lane.progress for lane in self._lanes})

    async def _compare(self, request: CompareRequest) -> Comparison:
        comparison = StoreComparison(self.broker.connection, self._store, self._keys.digester, self._scratch)
        return await comparison.of(request, patience_s=LIVE_PATIENCE_S)

    async def _preview(self, asked: LearningPreview) -> list[dict[str, Any]] | None:
        lane, now_ns = self._lane_of.get(slot_of(asked.user)), round(self._clock.now().timestamp() * 1e9)
        return await preview(asked, lane.look_up, self._keys, self._policy, now_ns=now_ns) if lane else None

    def _names_of_backups(self) -> list[str]:
        """Names of the backups, which a receipt must list: nothing is erased from them."""
        return sorted(path.name for path in self._backups.iterdir()) if self._backups.is_dir() else []

    async def _prepare(self) -> None:
        client = self.broker.connection
        await check_streams(client, self._keys, (MEMORY, SEND, REJECTED))
        await require_keys(client)
        await self._letters.learn(client)
        send_id = (await identify_log(client, SEND)).log_id
        self._store.follow_send(send_id)
        self._lanes = [self._lane(index, send_id) for index in range(self._lane_count)]
        self._lane_of.update({slot: lane for lane in self._lanes for slot in lane.slots})

    @property
    def _lane_count(self) -> int:
        return min(self._settings.lanes, len(self._part.slots))

    def _lane(self, index: int, send_id: str) -> Lane:
        count = self._lane_count
        where = f"-part-{self._part.index + 1}-of-{self._part.count}" if self._part.count > 1 else ""
        return Lane(
            name=f"lane-{index}-of-{count}{where}",
            client=self.broker.connection,
            store=self._store,
            keys=self._keys,
            send_id=send_id,
            slots=slots_of_lane(index, count, self._part),
            fetch=self._settings.fetch,
            clock=self._clock,
            policy=self._policy,
            on_decided=self._outcomes.decided.tell,
            meters=self._meters,
            pace=self._pace,
            letters=self._letters,
            spaces=self._space_labels,
        )


def slots_of_lane(index: int, lanes: int, part: Part = WHOLE) -> Sequence[Slot]:
    """The slots of a lane. Every slot of a part belongs to exactly one lane."""
    return [Slot(slot) for slot in part.slots[index::lanes]]


def folder_of(files: DataDir, part: Part) -> Path:
    """Where the ingest.db of a part lies."""
    folder = files.projection("ingest")
    return folder if part.count == 1 else folder / f"part-{part.index + 1}-of-{part.count}"


async def follow(runtime: RuntimeSettings, part: Part, client: Client) -> None:
    """Apply the log to the ingest.db of a part for which another decides elsewhere. Raises LogDiverged, Poison, Unavailable."""
    digester, send_id = load_keys(runtime.files.keys).digester, (await identify_log(client, SEND)).log_id
    store = Store(folder_of(runtime.files, part), digester)
    try:
        store.follow_send(send_id)
        slots = [Slot(slot) for slot in part.slots]
        projection = IngestProjection(store, digester, slots=slots, send_id=send_id)
        subjects = [slot_filter(slot) for slot in slots]
        await Projector(client, projection, subjects=subjects, live=False).catch_up()
    finally:
        store.close()


def build(runtime: RuntimeSettings) -> Ingest:
    """Compose the only ingest, with its settings from the environment."""
    return Ingest(runtime, IngestSettings())
