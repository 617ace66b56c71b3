"""Making an installation: the data folder, its keys and passwords, and the streams. Nothing that exists is replaced."""

from collections.abc import Iterator

from shared.contracts.errors import KeysMismatch
from shared.runtime.connection import operator_connection
from shared.runtime.credentials import complete_credentials, create_credentials, save_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.settings import StreamSettings
from shared.runtime.keys import create_keys, load_keys
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import Kept, create_streams, limit_streams


def is_empty(files: DataDir) -> bool:
    """Tell whether there is no installation here, not even a part of one."""
    return not any(path.exists() for path in (files.keys, files.credentials, files.nats_store))


def prepare(files: DataDir) -> list[str]:
    """Make what is missing of the folder, keys and passwords; return the names of the files made.

    Raises KeysMismatch if there is a log but no keys: new ones would not fit it.
    """
    if files.nats_store.exists() and not files.keys.exists():
        raise KeysMismatch("there is a log but no keys.toml; put back the keys.toml that was made with it")
    files.create()
    return list(_made(files))


async def make_streams(settings: RuntimeSettings, kept: Kept | None = None) -> None:
    """Make the streams that are missing, as the settings or `kept` say, and limit and move the others.

    Raises KeysMismatch if the log belongs to other keys, else Unavailable.
    """
    async with operator_connection(settings) as client:
        keys, kept = load_keys(settings.files.keys), kept or StreamSettings().kept
        await create_streams(client, keys, kept)
        await limit_streams(client, keys, kept)


async def renew_streams(settings: RuntimeSettings) -> None:
    """Limit the streams that an earlier version made, and make SCHEDULES if it made none.

    Raises NotInitialised or KeysMismatch.
    """
    async with operator_connection(settings) as client:
        await limit_streams(client, load_keys(settings.files.keys))


def _made(files: DataDir) -> Iterator[str]:
    if not files.keys.exists():
        create_keys(files.keys)
        yield files.keys.name
    if not files.credentials.exists():
        save_credentials(files.credentials, create_credentials())
        yield files.credentials.name
    complete_credentials(files.credentials)
