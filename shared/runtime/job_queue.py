"""The jobs that are due, in SCHEDULES: each is handed to one process at a time, until it says that the run is over.

A message on `job.<name>` asks for a run. The server writes it at its times, by the schedules in the same stream, or a person
does by hand. Of one that waits still there is one message only: whoever asks again asks for the same run.
"""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Literal, NamedTuple

from nats.js import api
from nats.js.errors import BadRequestError, NotFoundError

from shared.contracts.errors import NotInitialised, Unavailable
from shared.domain.moments import microseconds
from shared.runtime.connection import Client, answering
from shared.runtime.erasing import erase
from shared.runtime.logs import log
from shared.runtime.sending import publish
from shared.runtime.topology import SCHEDULES

_CONSUMER = "maintenance"
_RUN_HEADER = "Memstream-Run"
_DUE_HEADER = "Memstream-Due"
_ID_HEADER = "Nats-Msg-Id"
_CRON_HEADER = "Nats-Schedule"
_SCHEDULE = "schedule."
_NO_STREAM = "the stream SCHEDULES does not exist; run `memstream init`"
_WAITING_S = 20.0
_PATIENCE_S = 5.0
_KEPT_TIMES = 3
_NANOSECONDS = 1_000_000_000


class DueJob(NamedTuple):
    """A run that is to be done now."""

    job: str
    run: str
    due_at: datetime
    asked_by: Literal["schedule", "hand"]
    reply: str = ""  # where it is acknowledged
    deliveries: int = 1  # how often it was handed out, this time included


class JobQueue:
    """The consumer that all processes of maintenance share."""

    def __init__(self, client: Client, *, ack_wait_s: float) -> None:
        self._client = client
        self._ack_wait_s = ack_wait_s

    async def open(self) -> None:
        """Make the consumer, or find it. Raises NotInitialised where the stream is missing, and Unavailable."""
        config = api.ConsumerConfig(
            name=_CONSUMER,
            durable_name=_CONSUMER,
            filter_subject="job.*",
            ack_policy=api.AckPolicy.EXPLICIT,
            ack_wait=self._ack_wait_s,
            max_ack_pending=1,  # one after the other, however many processes: nobody waits for them
        )
        with answering("the schedules did not answer"):
            try:
                await self._client.jetstream().add_consumer(SCHEDULES, config)
            except NotFoundError as error:
                raise NotInitialised(_NO_STREAM) from error

    async def next(self) -> DueJob | None:
        """The next job that is due, or None if there was none for a while. Raises Unavailable."""
        request = json.dumps({"batch": 1, "expires": int(_WAITING_S * _NANOSECONDS)}).encode()
        subject = f"$JS.API.CONSUMER.MSG.NEXT.{SCHEDULES}.{_CONSUMER}"
        with answering("the schedules did not answer"):
            message = await self._client.request(subject, request, timeout=_WAITING_S + _PATIENCE_S, old_style=True)
        if not message.reply.startswith("$JS.ACK."):
            return None  # a status: nothing came
        meta, headers = message.metadata, message.headers or {}
        job = message.subject.removeprefix("job.")
        run, due = headers.get(_RUN_HEADER), headers.get(_DUE_HEADER)
        due_at = datetime.fromisoformat(due) if due else meta.timestamp
        return DueJob(
            job,
            run or f"{job}/{microseconds(due_at)}",
            due_at,
            "hand" if run and not due else "schedule",
            message.reply,
            meta.num_delivered,
        )

    async def keep_for_ever(self, due: DueJob) -> None:
        """Say again and again that the run goes on, so that nobody else is given it."""
        while True:
            await asyncio.sleep(self._ack_wait_s / _KEPT_TIMES)
            with suppress(Unavailable):
                await self._reply(due, b"+WPI")

    async def done(self, due: DueJob) -> None:
        """Say that the run is over."""
        await self._reply(due, b"+ACK")

    async def again(self, due: DueJob, delay_s: float) -> None:
        """Ask for the run again after a while."""
        await self._reply(due, b"-NAK " + json.dumps({"delay": int(delay_s * _NANOSECONDS)}).encode())

    async def _reply(self, due: DueJob, said: bytes) -> None:
        with answering("the schedules did not answer"):
            await self._client.publish(due.reply, said)


async def ask_for_run(client: Client, job: str, run: str) -> None:
    """Ask for a run by hand; the id is that of its event. Raises Unavailable."""
    await publish(client, f"job.{job}", b"", {_RUN_HEADER: run})


async def tell_due(client: Client, job: str, due_at: datetime) -> None:
    """Say in place of the server that the time of a job has come. Several that do so count once. Raises Unavailable."""
    run = f"{job}/{microseconds(due_at)}"
    headers = {_RUN_HEADER: run, _DUE_HEADER: due_at.isoformat(), _ID_HEADER: run}
    await publish(client, f"job.{job}", b"", headers)


class Schedules:
    """The schedules that the server follows: one message each, on `schedule.<job>`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def can_be_followed(self) -> bool:
        """True if the server follows schedules in this stream. Raises NotInitialised where it is missing, and Unavailable."""
        return bool((await self._info()).config.allow_msg_schedules)

    async def place(self, crons: Mapping[str, str], time_zone: str) -> set[str]:
        """Have the server follow these and no others; return the jobs whose schedule it took. Raises Unavailable.

        One that is there already stays as it is: the server may be about to make up for a time that it missed.
        """
        wanted = {  # the server's cron has seconds before the minutes
            job: {_CRON_HEADER: f"0 {cron}", "Nats-Schedule-Target": f"job.{job}", "Nats-Schedule-Time-Zone": time_zone}
            for job, cron in crons.items()
        }
        placed = {subject.removeprefix(_SCHEDULE) for subject in (await self._info()).state.subjects or {}}
        for job in placed - wanted.keys():
            await self._remove(job)
        return {job for job, headers in wanted.items() if await self._is_placed(job, headers)}

    async def _is_placed(self, job: str, wanted: Mapping[str, str]) -> bool:
        known = await self._last(job)
        if known is not None and wanted.items() <= (known.headers or {}).items():
            return True
        with answering("the schedules did not answer"):
            try:
                await self._client.jetstream().publish(f"{_SCHEDULE}{job}", b"", headers=dict(wanted), timeout=_PATIENCE_S)
            except BadRequestError as error:  # a pattern or a time zone that this server does not know
                log.warning("schedule.refused", job=job, schedule=wanted[_CRON_HEADER], reason=error.description)
                await self._remove(job)
                return False
        return True

    async def _remove(self, job: str) -> None:
        if known := await self._last(job):
            await erase(self._client, SCHEDULES, [known.seq or 0])

    async def _last(self, job: str) -> api.RawStreamMsg | None:
        with answering("the schedules did not answer"), suppress(NotFoundError):
            return await self._client.jetstream().get_last_msg(SCHEDULES, f"{_SCHEDULE}{job}")
        return None

    async def _info(self) -> api.StreamInfo:
        with answering("the schedules did not answer"):
            try:
                return await self._client.jetstream().stream_info(SCHEDULES, subjects_filter=f"{_SCHEDULE}*")
            except NotFoundError as error:
                raise NotInitialised(_NO_STREAM) from error
