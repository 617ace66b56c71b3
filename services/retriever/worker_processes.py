"""Worker processes of `memstream up`: starts them, and starts another where one dies."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from shared.domain.parts import Part
from shared.runtime.logs import log
from shared.runtime.settings import RuntimeSettings, child_environment

_MODULE = "services.retriever"
_HOME = Path(__file__).parents[2]
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 10.0
_STEADY_S = 30.0
"""A worker that lived so long did not die of its start."""

_STOP_S = 15.0


class WorkerProcess:
    """The worker of a part, as a process that is always there but for the moments after its death."""

    def __init__(self, part: Part, runtime: RuntimeSettings) -> None:
        self._part = part
        self._runtime = runtime

    async def run(self) -> None:
        """Keep it running until cancelled; then stop it in order."""
        clock, pause_s = asyncio.get_running_loop().time, _FIRST_PAUSE_S
        while True:
            began = clock()
            code = await self._lived()
            pause_s = _FIRST_PAUSE_S if clock() - began > _STEADY_S else min(2 * pause_s, _LONGEST_PAUSE_S)
            log.error("worker.died", part=self._part.index, exit_code=code, pause_s=pause_s)
            await asyncio.sleep(pause_s)

    async def _lived(self) -> int:
        """Start it, and wait for its end; the exit code."""
        process = await self._started()
        try:
            return await process.wait()
        finally:
            await _stopped(process)

    async def _started(self) -> asyncio.subprocess.Process:
        environment = {
            "MEMSTREAM_DATA_DIR": str(self._runtime.files.root),
            "MEMSTREAM_NATS_URL": self._runtime.nats_url or "",
            "PYTHONPATH": str(_HOME),
            "MEMSTREAM_RETRIEVER_PART": f"{self._part.index + 1}/{self._part.count}",
            "MEMSTREAM_WORKER_IS_BESIDE_UP": "1",
        }
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", _MODULE),
            stdin=asyncio.subprocess.PIPE,  # it ends when this process does, which closes the other end
            stdout=asyncio.subprocess.DEVNULL,
            env=child_environment(environment),
            start_new_session=True,  # a Ctrl-C in the terminal is for `up`, which stops its workers in order
        )


async def _stopped(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
        try:
            async with asyncio.timeout(_STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
