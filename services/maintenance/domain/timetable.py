"""When each job runs."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from shared.contracts.errors import Misconfigured

OFF = "off"


class DueTime(NamedTuple):
    """A moment at which a job is due; in the order of time."""

    at: datetime
    job: str


class Timetable(NamedTuple):
    """Each job's times, as cron writes them, in one time zone. A job that is off has none."""

    crons: Mapping[str, str]
    time_zone: str

    @classmethod
    def of(cls, defaults: Mapping[str, str], *, wanted: str, time_zone: str) -> "Timetable":
        """The jobs' own times, but where `wanted` says others: `name=cron; name=off`. Raises Misconfigured.

        >>> Timetable.of({"decay": "0 4 * * *", "ageing": "0 5 * * 0"}, wanted="ageing=off", time_zone="UTC").crons
        {'decay': '0 4 * * *'}
        """
        crons = dict(defaults)
        for entry in filter(None, map(str.strip, wanted.split(";"))):
            job, _, cron = (part.strip() for part in entry.partition("="))
            if job not in crons:
                raise Misconfigured(f"a schedule names the job {job}; there are {', '.join(defaults)}")
            crons[job] = " ".join(cron.split())
        table = cls({job: cron for job, cron in crons.items() if cron != OFF}, time_zone)
        for job in table.crons:
            table._require_times(job)
        return table

    def next(self, job: str, after: datetime) -> datetime | None:
        """The first time of a job after a moment; None for one that is off."""
        return next(self._times(job, after), None)

    def last(self, job: str, *, after: datetime, until: datetime) -> datetime | None:
        """The last time of a job after one moment, and no later than another, if there is one."""
        last = None
        for at in self._times(job, after):
            if at > until:
                break
            last = at
        return last

    def due(self, *, after: datetime, until: datetime) -> list[DueTime]:
        """Every time of every job after one moment, and no later than another, in order."""
        found = []
        for job in self.crons:
            for at in self._times(job, after):
                if at > until:
                    break
                found.append(DueTime(at, job))
        return sorted(found)

    def _times(self, job: str, after: datetime) -> Iterator[datetime]:
        if job in self.crons:
            for at in CronSim(self.crons[job], after.astimezone(ZoneInfo(self.time_zone))):
                yield at.astimezone(UTC)

    def _require_times(self, job: str) -> None:
        try:
            next(self._times(job, datetime(2026, 1, 1, tzinfo=UTC)))
        except (CronSimError, StopIteration) as error:
            raise Misconfigured(f"the schedule of {job} has no times: {self.crons[job]}; write it as 0 4 * * *") from error
        except (KeyError, ValueError, OSError) as error:
            raise Misconfigured(f"there is no time zone {self.time_zone}; write it as Europe/Berlin") from error
