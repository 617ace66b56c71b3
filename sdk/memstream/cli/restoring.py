"""Restores a backup: all of it, or nothing."""

import shutil
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from memstream.cli.backup_folder import STREAMS, Manifest, settings_of, sync_folder
from memstream.cli.forgetting_again import ForgottenAgain, forget_again
from memstream.cli.kept_forgettings import KeptForgetting, read_forgettings
from memstream.cli.locks import SERVER, hold
from memstream.cli.server import log_to_stderr, supervised
from memstream.cli.services import PROJECTIONS, SERVICES
from memstream.cli.session import CliSession
from shared.contracts.errors import Misconfigured
from shared.runtime.connection import operator_connection
from shared.runtime.datadir import DataDir, write_private
from shared.runtime.embedded.settings import StreamSettings
from shared.runtime.keys import load_keys
from shared.runtime.private_files import private_folder
from shared.runtime.settings import RuntimeSettings
from shared.runtime.snapshots import drop_half_batch, restore_snapshot
from shared.runtime.topology import MEMORY, check_streams, identify_log

_HALF_WAY = ".restoring"


class Restored(NamedTuple):
    """What was restored, and what of it was forgotten again."""

    manifest: Manifest
    again: ForgottenAgain | None  # None: no list was offered


async def restore(session: CliSession, folder: Path, forgotten: Path | None = None) -> Restored:
    """Restore into the data folder of this session, and onto the server that it names.

    `forgotten`: the kept list of what was forgotten, by which what came after the backup is forgotten again.
    Raises Misconfigured if there is anything that it would overwrite, or if a file of the backup is not what was written.
    """
    log_to_stderr(session)
    manifest = Manifest.read(folder)
    manifest.require_whole(folder)
    backup = _Backup(folder, manifest, read_forgettings(forgotten, manifest.keys) if forgotten else None)
    files = session.files
    files.create()
    with hold(files, [SERVER, *SERVICES]):
        if session.settings.nats_url:
            return Restored(manifest, await _onto_server(session.settings, backup))
        return Restored(manifest, await _into_folder(files, backup))


class _Backup(NamedTuple):
    folder: Path
    manifest: Manifest
    forgotten: Sequence[KeptForgetting] | None


async def _into_folder(files: DataDir, backup: _Backup) -> ForgottenAgain | None:
    """Restore beside, by a server of its own; then move all here, the keys last: without them nothing starts."""
    if (files.root / _HALF_WAY).exists() and files.nats_store.exists() and not files.keys.exists():
        raise Misconfigured(f"a restore was interrupted here; delete {files.root} and what is in it, and restore again")
    _require_none([files.keys, files.credentials, files.ranking, files.nats_store, *_projections(files)])
    beside = DataDir(files.root / _HALF_WAY)
    shutil.rmtree(beside.root, ignore_errors=True)
    private_folder(beside.root)
    try:
        _copy_settings(backup.folder, beside)
        if files.person_keys.exists():  # put back before: of whoever is forgotten again, the key goes too
            write_private(beside.person_keys, files.person_keys.read_bytes())
        async with supervised(beside, port=0):
            again = await _restore_streams(RuntimeSettings(data_dir=beside.root, nats_url=None), backup)
        for made, place in zip(_parts(beside), _parts(files), strict=True):
            if made.exists():
                made.rename(place)
                sync_folder(files.root)
    finally:
        shutil.rmtree(beside.root)
    return again


async def _onto_server(settings: RuntimeSettings, backup: _Backup) -> ForgottenAgain | None:
    """Restore the files, of which those may be there that are the same; then the streams."""
    _require_none(_projections(settings.files))
    _copy_settings(backup.folder, settings.files)
    try:
        return await _restore_streams(settings, backup)
    finally:  # what it made to forget again: the ingests that come may have other parts of all people
        shutil.rmtree(settings.files.projection("ingest"), ignore_errors=True)


def _parts(files: DataDir) -> list[Path]:
    return [files.nats_store, files.person_keys, files.ranking, files.credentials, files.keys]


def _projections(files: DataDir) -> list[Path]:
    return [files.projection(name) for name in PROJECTIONS]


def _require_none(paths: list[Path]) -> None:
    if there := [path for path in paths if path.exists()]:
        raise Misconfigured(f"{there[0]} exists already, and nothing is overwritten; restore into an empty data folder")


def _copy_settings(folder: Path, files: DataDir) -> None:
    names = [path.name for path in settings_of(DataDir(folder))]
    _require_none(
        [
            place
            for name in names
            if (place := files.root / name).exists() and (folder / name).read_bytes() != place.read_bytes()
        ]
    )
    for name in names:
        write_private(files.root / name, (folder / name).read_bytes())


async def _restore_streams(settings: RuntimeSettings, backup: _Backup) -> ForgottenAgain | None:
    """All streams or, where one cannot be restored or what is to be forgotten again cannot be erased, none."""
    kept = StreamSettings().kept
    async with operator_connection(settings) as client, AsyncExitStack() as undo:
        for name in STREAMS:
            await restore_snapshot(client, name, backup.folder / name, kept)
            undo.push_async_callback(client.jetstream().delete_stream, name)
        await check_streams(client, load_keys(settings.files.keys), STREAMS)
        log = await identify_log(client)
        if log.log_id != backup.manifest.log_id or log.last_position < backup.manifest.last_positions[MEMORY]:
            raise Misconfigured("what was restored is not the log that was backed up; take another backup")
        await drop_half_batch(client)
        again = None if backup.forgotten is None else await forget_again(settings, client, backup.forgotten)
        undo.pop_all()
    return again
