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
from nats.js.errors import NotFoundError

from shared.contracts.errors import NotInitialised, Unavailable
from shared.domain.moments import moment
from shared.runtime.connection import Client, answering
from shared.runtime.sending import publish
from shared.runtime.topology import SCHEDULES

_CONSUMER = "maintenance"
_RUN_HEADER = "Memstream-Run"
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
                raise NotInitialised("the stream SCHEDULES does not exist; run `memstream init`") from error

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
        asked, stored_ns = headers.get(_RUN_HEADER), round(meta.timestamp.timestamp() * 1_000_000)
        return DueJob(
            job,
            asked or f"{job}/{stored_ns}",
            moment(stored_ns),
            "hand" if asked else "schedule",
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


def server_schedule(cron: str, time_zone: str, job: str) -> Mapping[str, str]:
    """The headers of a schedule. The server's cron has seconds before the minutes."""
    return {"Nats-Schedule": f"0 {cron}", "Nats-Schedule-Target": f"job.{job}", "Nats-Schedule-Time-Zone": time_zone}
