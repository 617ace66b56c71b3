"""Writes the kept list of what the log says is forgotten."""

from pathlib import Path

from memstream.cli.kept_forgettings import forgettings_in, write_forgettings
from memstream.cli.server import any_server, log_to_stderr
from memstream.cli.session import CliSession
from shared.runtime.connection import operator_connection
from shared.runtime.keys import load_keys
from shared.runtime.topology import check_streams


async def keep(session: CliSession, file: Path) -> int:
    """Write it, in place of an older one; return how many forgettings it has. memstream may run meanwhile."""
    log_to_stderr(session)
    keys = load_keys(session.files.keys)
    async with any_server(session.settings), operator_connection(session.settings) as client:
        await check_streams(client, keys)
        kept = await forgettings_in(client)
    write_forgettings(file, keys.fingerprint, kept)
    return len({(each.scope, each.forget_id) for each in kept})
