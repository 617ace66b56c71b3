"""memstream as it ships: `memstream up` with all services, asked by bots over NATS; every recall is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from datetime import datetime
from functools import partial

from bench._installation import SPACE, Installation
from bench.peers.contender import LIMIT, PERSON, Ask, Given, Memory
from memstream.cli.admin import ask_service
from memstream.cli.sending import import_all
from memstream.client import Kind, MemoryClient
from memstream.importers.turns import Owner
from shared.contracts.commands import ImportedTurn
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.parts import Role
from shared.runtime.connection import operator_connection
from shared.runtime.embedders.port import Vectors

_ANSWERS_ALWAYS = {"abstain_below": 1e-9}  # peers know no "I do not know", which comes sooner than an answer
_GIVES_ALL = {**_ANSWERS_ALWAYS, "cut_below": 0.0}  # peers leave nothing out that is far below the best
_TIMEOUT_S = 30.0
_POLL_S = 0.1
_PAGE = 100


@contextmanager
def contender(given: Given) -> Iterator[Memstream]:
    """Start it in the folder, as an operator would."""
    installation = Installation(given.folder, given.embedder)
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            if not installation.files.keys.exists():
                runner.run(installation.create())
            runner.run(stack.enter_async_context(installation.running()))
            runner.run(installation.until_at_rest())  # after a change of version files are built anew
            bot = runner.run(stack.enter_async_context(installation.bot(PERSON)))
            yield Memstream(installation, runner, bot)
        finally:
            runner.run(stack.aclose())


class Memstream:
    """An installation with one person's memories."""

    def __init__(self, installation: Installation, runner: asyncio.Runner, bot: MemoryClient) -> None:
        self._installation = installation
        self._runner = runner
        self._bot = bot

    def load(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        """Import them, as `memstream import` does, and wait for all that follows; it makes the vectors by itself."""
        del vectors
        self._runner.run(self._load(memories))

    async def _load(self, memories: Sequence[Memory]) -> None:
        report = await import_all(self._bot, {Owner(SPACE, PERSON): _turns(memories)}, lambda _: None)
        assert not report.rejected_turns, report.codes
        await self._until_done()

    async def _until_done(self) -> None:
        """Wait until all that was acknowledged is decided, learned from and embedded."""
        await self._installation.until_at_rest()
        while await self._is_at_work():
            await self._installation.until_at_rest()

    async def _is_at_work(self) -> bool:
        """Whether sessions wait to be learned from, or memories to be embedded."""
        async with operator_connection(self._installation.settings) as client:
            learning = await ask_service(client, "consolidator", "status", timeout_s=_TIMEOUT_S)
            embedding = await ask_service(client, "maintenance", "status", timeout_s=_TIMEOUT_S)
        return bool(learning["pending"] or embedding["backlog"])

    def add(self, memory: Memory) -> None:
        """Send one as a bot does, and return with the server's acknowledgement."""
        at = datetime.fromisoformat(memory.at)
        sent = self._bot.add(
            memory.text, session_id=memory.session, speaker=memory.speaker, message_id=memory.id, occurred_at=at
        )
        self._runner.run(sent)

    def delete(self, memory_id: str) -> None:
        """Forget a message, and what goes with it; return with the receipt."""
        self._runner.run(self._forget(memory_id))

    async def _forget(self, memory_id: str) -> None:
        decided = await self._bot.forget(deleted_message_id=memory_id, timeout_s=_TIMEOUT_S)
        assert decided.number is not None
        async with asyncio.timeout(_TIMEOUT_S):
            while (await self._bot.forgetting(decided.number)).state != "done":  # noqa: ASYNC110 - nothing else tells
                await asyncio.sleep(_POLL_S)

    def known(self) -> set[str]:
        """The message of every turn, when nothing waits any more."""
        return self._runner.run(self._known())

    async def _known(self) -> set[str]:
        await self._until_done()
        found: set[str] = set()
        before: int | None = None
        while True:
            page = await self._bot.list(kinds=[Kind.EPISODE], limit=_PAGE, before_number=before, timeout_s=_TIMEOUT_S)
            found |= {str(item.message_id) for item in page.items}
            before = page.next_before_number
            if before is None:
                return found

    def find(self, question: str) -> list[str]:
        """The best turns, facts left out: peers have none."""
        turns = partial(self._bot.context, kinds=[Kind.EPISODE], budget_tokens=None, ranking=_GIVES_ALL, record=False)
        found = self._runner.run(turns(question, limit=LIMIT, timeout_s=_TIMEOUT_S))
        return [str(item.message_id) for item in found.items]

    @contextmanager
    def client(self) -> Iterator[Ask]:
        """A bot with a connection of its own."""
        with asyncio.Runner() as runner:
            stack = AsyncExitStack()
            try:
                bot = runner.run(stack.enter_async_context(self._installation.bot(PERSON)))
                loop = runner.get_loop()

                def ask(question: str) -> list[str]:
                    asked = bot.context(question, limit=LIMIT, ranking=_ANSWERS_ALWAYS, timeout_s=_TIMEOUT_S)
                    return [str(item.message_id) for item in loop.run_until_complete(asked).items]

                yield ask
            finally:
                runner.run(stack.aclose())


def _turns(memories: Sequence[Memory]) -> list[ImportedTurn]:
    first = memories[0].speaker
    return [
        ImportedTurn(
            role=Role.USER if memory.speaker == first else Role.ASSISTANT,
            session_id=SessionId(memory.session),
            text=memory.text,
            speaker=memory.speaker,
            message_id=MessageId(memory.id),
            occurred_at=datetime.fromisoformat(memory.at),
        )
        for memory in memories
    ]
