"""The configuration that `memstream nats-conf` prints is one that memstream can use, on a server that it did not start."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from shared.contracts.errors import Unavailable
from shared.runtime.connection import operator_connection
from shared.runtime.embedded.server import find_binary
from shared.runtime.ports import free_port
from shared.runtime.settings import RuntimeSettings
from tests.support.forks import Printed, printed
from tests.support.installations import until


async def cli(root: Path, *arguments: str, **environment: str) -> Printed:
    words = [*arguments, "--data-dir", str(root)]
    return await asyncio.to_thread(printed, "memstream", *words, environment={**os.environ, **environment})


@asynccontextmanager
async def server_of(conf: Path, root: Path, url: str) -> AsyncIterator[None]:
    """A server with this configuration, when it lets memstream in."""

    async def answers() -> bool:
        try:
            async with operator_connection(RuntimeSettings(data_dir=root, nats_url=url)):
                return True
        except Unavailable:
            return False

    server = await asyncio.create_subprocess_exec(str(find_binary()), "-c", str(conf), stdout=-3, stderr=-3)
    try:
        await until(answers, what="the server answers")
        yield
    finally:
        server.terminate()
        await server.wait()


async def streams_of(root: Path, url: str) -> str:
    """What the doctor says of the streams."""
    checked = await cli(root, "doctor", "--json", MEMSTREAM_NATS_URL=url)
    return str({check["name"]: check["detail"] for check in checked.document["checks"]}["streams"])


async def test_a_server_of_ones_own_goes_on_with_the_streams_that_init_made(tmp_path: Path) -> None:
    root, conf, url = tmp_path / "data", tmp_path / "nats.conf", f"nats://127.0.0.1:{free_port()}"
    assert (await cli(root, "init")).code == 0
    made = await cli(root, "nats-conf", "--listen", url.removeprefix("nats://"), "-o", str(conf))
    assert made.code == 0, made.err
    assert stat.S_IMODE(conf.stat().st_mode) == 0o600
    async with server_of(conf, root, url):
        assert await streams_of(root, url) == "exist, and belong to these keys"


async def test_streams_that_lie_elsewhere_are_made_there(tmp_path: Path) -> None:
    root, conf, url = tmp_path / "data", tmp_path / "nats.conf", f"nats://127.0.0.1:{free_port()}"
    assert (await cli(root, "init")).code == 0
    elsewhere = str(tmp_path / "streams")
    assert (await cli(root, "nats-conf", "--listen", url[7:], "--store-dir", elsewhere, "-o", str(conf))).code == 0
    shutil.rmtree(root / "nats")
    async with server_of(conf, root, url):
        assert "the stream MEMORY is gone or damaged" in await streams_of(root, url)
        assert (await cli(root, "init", MEMSTREAM_NATS_URL=url)).code == 0
        assert await streams_of(root, url) == "exist, and belong to these keys"
    assert not (root / "nats").exists()


async def test_the_accounts_alone_fit_into_a_configuration_of_ones_own(tmp_path: Path) -> None:
    root = tmp_path / "data"
    assert (await cli(root, "init")).code == 0
    accounts = (await cli(root, "nats-conf", "--accounts")).out
    conf = tmp_path / "nats.conf"
    conf.write_text(f'jetstream {{ store_dir: "{tmp_path / "s"}" }}\naccounts {{\n{accounts}  MINE {{}}\n}}\n')
    checked = await asyncio.create_subprocess_exec(str(find_binary()), "-t", "-c", str(conf), stdout=-3, stderr=-3)
    assert await checked.wait() == 0
