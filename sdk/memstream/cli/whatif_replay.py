"""What somebody said, replayed into a memstream of its own with other settings; it is deleted at the end."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from memstream.cli.children import memstream_up
from memstream.cli.progress import progress_bar
from memstream.cli.sending import end_sessions, import_all
from memstream.cli.session import CliSession
from memstream.cli.waiting import all_learned
from memstream.client import ImportedTurn, MemoryClient
from memstream.importers.turns import Owner
from shared.contracts.errors import Malformed
from shared.contracts.memories import Memory
from shared.contracts.parts import Role
from shared.runtime.settings import RuntimeSettings
from shared.runtime.side_folder import side_folder


@dataclass(frozen=True, slots=True)
class Replayed:
    """A memory of its own that has learned what people said, and the end of its log."""

    client: MemoryClient
    position: int


@asynccontextmanager
async def replayed(
    session: CliSession,
    said: Mapping[Owner, list[Memory]],
    kept: Mapping[Owner, list[Memory]],
    still_open: Mapping[Owner, Collection[str]],
    settings: Mapping[str, str],
) -> AsyncIterator[Replayed]:
    """Turns are said again, facts that were saved by hand are saved again, all else is learned anew under these settings.

    Of sessions that are still open nothing was learned yet, nor is it there.
    """
    with side_folder(session.files) as folder, progress_bar("turns") as progress:
        own = CliSession(RuntimeSettings(data_dir=folder / "data", nats_url=None, log_level="warning"))
        own.files.create()
        space = next((owner.space for owner in said), "default")
        async with memstream_up(own, space=space, **settings) as client:
            task = progress.add_task("replaying", total=sum(map(len, said.values())))
            turns = {owner: [_turn(each) for each in memories] for owner, memories in said.items()}
            report = await import_all(client, turns, lambda count: progress.advance(task, count))
            if report.codes:
                raise Malformed(f"what was said is refused there: {', '.join(report.codes)}")
            for owner, sessions in still_open.items():
                over = {str(turn.session_id) for turn in turns[owner]}.difference(sessions)
                await end_sessions(client.for_user(owner.user, space=owner.space), report.position, over)
            for owner, facts in kept.items():
                memories = client.for_user(owner.user, space=owner.space)
                for fact in facts:
                    await memories.remember(fact.text, tags=fact.tags, occurred_at=fact.occurred_at)
            yield Replayed(client, await all_learned(own))


def _turn(memory: Memory) -> ImportedTurn:
    return ImportedTurn(
        role=memory.role or Role.USER,
        text=memory.text,
        message_id=memory.message_id,
        occurred_at=memory.occurred_at,
        speaker=memory.speaker,
        session_id=memory.session_id or "unnamed",  # type: ignore[arg-type] # pydantic makes it one
    )
