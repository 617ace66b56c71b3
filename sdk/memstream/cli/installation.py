"""Making an installation: the data folder, its keys and passwords, and the streams. Nothing that exists is replaced."""

from collections.abc import Iterator

from shared.runtime.connection import operator_connection
from shared.runtime.credentials import complete_credentials, create_credentials, save_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.settings import StreamSettings
from shared.runtime.keys import create_keys, load_keys
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import MEMORY, OF_THE_LOG, Kept, check_streams, create_streams, limit_streams


def prepare(files: DataDir) -> list[str]:
    """Make what is missing of the folder, keys and passwords; return the names of the files made.

    Raises NotInitialised if there are no keys beside other files: new ones would not fit the log.
    """
    if files.held:
        load_keys(files.keys)
    files.create()
    return list(_made(files))


async def make_streams(settings: RuntimeSettings, kept: Kept | None = None) -> None:
    """Make the streams that are missing, as the settings or `kept` say, and limit and move the others.

    Raises NotInitialised where one is gone, or KeysMismatch if the log belongs to other keys, else Unavailable.
    """
    files = settings.files
    is_lived_in = any(files.projection("retriever").glob("memories/*/*.db"))
    has_log = any(files.nats_store.glob(f"**/streams/{MEMORY}"))  # whatever the server could read of it
    async with operator_connection(settings) as client:
        keys, kept = load_keys(files.keys), kept or StreamSettings().kept
        await check_streams(client, keys, OF_THE_LOG if is_lived_in else OF_THE_LOG[:has_log])
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
