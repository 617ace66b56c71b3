"""Makes a backup: what was acknowledged before it began is in it, and what was erased before is not."""

import shutil
from pathlib import Path

from memstream.cli.backup_folder import STREAMS, Manifest, backups_in, finish, settings_of, unfinished
from memstream.cli.root import version
from memstream.cli.server import any_server, log_to_stderr
from memstream.cli.session import CliSession
from shared.runtime.clock import SystemClock
from shared.runtime.connection import Client, operator_connection
from shared.runtime.datadir import write_private
from shared.runtime.keys import load_keys
from shared.runtime.snapshots import nothing_purged, take_snapshot
from shared.runtime.topology import check_streams, identify_log


async def back_up(session: CliSession, folder: Path | None) -> tuple[Path, Manifest]:
    """Back up into a new folder; the folder and its manifest.

    Raises Misconfigured if the folder exists, NotInitialised or KeysMismatch if the streams are not of this installation.
    """
    log_to_stderr(session)
    now = SystemClock().now()
    folder = (folder or session.files.backups / f"{now:%Y%m%dT%H%M%SZ}").absolute()
    made = unfinished(folder)
    try:
        for path in settings_of(session.files):
            write_private(made / path.name, path.read_bytes())
        async with any_server(session.settings), operator_connection(session.settings) as client:
            keys = load_keys(session.files.keys)
            await check_streams(client, keys, STREAMS)
            log_id = (await identify_log(client)).log_id
            manifest = Manifest(
                made_at=now.isoformat(timespec="seconds"),
                memstream=version(),
                keys=keys.fingerprint,
                log_id=log_id,
                last_positions=await _copied(client, made),
            )
        return folder, finish(made, folder, manifest)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def prune(folder: Path, manifest: Manifest, *, keep: int) -> list[Path]:
    """Delete all but the newest backups of this log that lie beside this one; return those that went."""
    same_log = [path for path, other in backups_in(folder.parent) if other.log_id == manifest.log_id]
    for path in same_log[:-keep]:
        shutil.rmtree(path)
    return same_log[:-keep]


async def _copied(client: Client, folder: Path) -> dict[str, int]:
    """Copy the streams; return the last position of each."""
    async with nothing_purged(client):
        return {name: (await take_snapshot(client, name, folder / name))["state"]["last_seq"] for name in STREAMS}
