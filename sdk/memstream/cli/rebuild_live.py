"""`rebuild --live`: the retriever's files anew beside those that answer, and what becomes of these."""

from typing import Any

from memstream.cli.progress import progress_bar
from memstream.cli.server import any_server
from memstream.cli.session import CliSession
from services.retriever.live_rebuild import drop_old, rebuild_live
from shared.runtime.processes import be_patient


async def rebuilt_live(session: CliSession, *, is_running: bool, anyway: bool) -> dict[str, Any]:
    """Make everybody's files anew, and have the service switch to them; tell what it found."""
    be_patient()  # and all processes that it starts
    async with any_server(session.settings):
        with progress_bar() as progress:
            made = progress.add_task("events", total=None)
            compared = progress.add_task("people compared", total=None)
            found = await rebuild_live(
                session.settings,
                is_running=is_running,
                in_any_case=anyway,
                on_progress=lambda applied, left: progress.update(made, completed=applied, total=applied + left),
                on_compared=lambda done, of: progress.update(compared, completed=done, total=of),
            )
    return found._asdict()


async def dropped(session: CliSession, *, is_running: bool) -> int:
    """Delete the older files; return how many generations."""
    return await drop_old(session.settings, is_running=is_running)
