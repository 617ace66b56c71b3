"""The clock of the tests: services live through weeks, and every job runs at its times."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from shared.contracts.events import EpisodeRecorded, SessionCompleted
from tests.support.lifetime import living


async def test_a_week_passes_with_every_job_at_its_times(tmp_path: Path) -> None:
    start = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
    settings = {"MEMSTREAM_MAINTENANCE_SCHEDULES": "enrichment=0 2 * * 0", "MEMSTREAM_MAINTENANCE_SESSION_IDLE_MINUTES": "0"}
    async with living(tmp_path / "life", start=start, environment=settings) as life:
        await life.bot.said("anna", "I am vegetarian, and I live in Graz.")
        runs = await life.nights.through(days=7)
        events = [event.data for event in await life.events("anna")]
        said = next(event for event in await life.events("anna") if isinstance(event.data, EpisodeRecorded))

        assert Counter(run.job for run in runs) >= Counter({"consolidation": 7, "enrichment": 1})
        assert {run.ended for run in runs} == {"done"}
        assert [each.reason for each in events if isinstance(each, SessionCompleted)] == ["swept"]
        assert timedelta() <= said.recorded_at - start < timedelta(minutes=5)
        assert life.maintenance.desk.jobs()[0]["last"]["due_at"] > "2026-01-11"
        assert life.clock.now() >= start + timedelta(days=7)
