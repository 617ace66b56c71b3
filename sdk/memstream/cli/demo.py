"""`demo`: a conversation is played as a bot would, asked about, and its projection destroyed and rebuilt from the log."""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from memstream._home import HOME
from memstream.cli.children import Child, connected, once_answered, running, temporary_session
from memstream.cli.installation import make_streams, prepare
from memstream.cli.locks import SERVER
from memstream.cli.projections import Digests, live_digests
from memstream.cli.searching import print_items
from memstream.cli.sending import raise_rejection, settled
from memstream.cli.services import PROJECTIONS
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.waiting import all_learned
from memstream.client import Kind, MemoryClient, Receipt
from memstream.importers import jsonl
from memstream.importers.turns import OwnedTurn, Owner
from shared.contracts.errors import LogDiverged, Misconfigured
from shared.runtime.connection import operator_connection
from shared.runtime.topology import identify_log

CONVERSATION = Path(HOME) / "examples" / "conversation.jsonl"
QUESTIONS = (
    ("anna", "On which weekday, at what time and in which room is Anna's project meeting?"),
    ("marcus", "When is the menu meeting with Paulette now?"),
    ("marcus", "Which spice did Iris tell Marcus to try with the rhubarb danish?"),
)
_SPACE = "demo"
_ITEMS = 3
_FACTS = 4
_PATIENCE_S = 30.0
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class Story:
    """The steps of the demo, told to people and collected for `--json`."""

    console: Console
    document: dict[str, Any] = field(default_factory=dict)
    began: float = field(default_factory=time.perf_counter)

    def tell(self, words: str, **facts: object) -> None:
        """Tell of a step that is done, and how long it took."""
        now = time.perf_counter()
        self.document |= facts
        self.console.print(f"[green]●[/] {words}  [dim]{now - self.began:.1f} s[/]")
        self.began = now


def demo(ctx: typer.Context) -> None:
    """See it work, in a temporary folder: chat, ask, kill the retriever, rebuild it from the log, compare."""
    session = session_of(ctx)
    story = Story(Console(highlight=False, quiet=session.as_json))
    run(_demo(session, story))
    if session.as_json:
        session.show(story.document, lambda _: None)
    if not story.document["equal"]:
        raise LogDiverged("the rebuilt projection differs from the one that was destroyed")


async def _demo(session: CliSession, story: Story) -> None:
    turns = _conversation()
    with temporary_session(session) as own:
        prepare(own.files)
        server = Child(own, "run", SERVER, "--port", "0")
        retriever = Child(own, "run", "retriever")
        others = [Child(own, "run", name) for name in PROJECTIONS if name != "retriever"]
        services = [*others, retriever]
        async with running(server):
            await once_answered([server], lambda: make_streams(own.settings))
            async with running(*services), connected(own, server, *services, space=_SPACE) as client:
                story.tell(f"a NATS server, {', '.join(PROJECTIONS)} run, each a process of its own")
                await _play(own, client, turns, story)
                await _learn(own, client, turns, story)
                await _ask(client, story)
                for writer in others:  # what they look at later may lead to events, and the digests are of one moment
                    await writer.stop()
                await _destroy_and_rebuild(own, client, retriever, story)


async def _play(session: CliSession, client: MemoryClient, turns: Sequence[OwnedTurn], story: Story) -> None:
    """Send each turn when its time comes, and wait for the last of each person."""
    last: dict[Owner, Receipt] = {}
    for owner, turn in sorted(turns, key=lambda owned: owned.turn.occurred_at or _LONG_AGO):
        fields = turn.model_dump(exclude={"role"})
        last[owner] = await client.for_user(owner.user).add(role=turn.role, **fields)
    for owner, receipt in last.items():
        outcome = await settled(client.for_user(owner.user), receipt)
        await raise_rejection(replace(session, space=_SPACE, user=owner.user), receipt, outcome)
    people, events = len(last), await _log_end(session)
    story.tell(
        f"{len(turns)} turns of {people} people sent over NATS, {events} events in the log", turns=len(turns), events=events
    )


async def _learn(session: CliSession, client: MemoryClient, turns: Sequence[OwnedTurn], story: Story) -> None:
    """End the last conversations, wait until they are learned from, and show some of what was learned and from where."""
    said = {turn.message_id: turn.text for _, turn in turns}
    for owner, turn in dict(turns).items():
        memories = client.for_user(owner.user)
        await settled(memories, await memories.end_session(turn.session_id))
    await all_learned(session)
    learned = 0
    for user in dict.fromkeys(owner.user for owner, _ in turns):
        memories = client.for_user(user)
        facts = (await memories.list(kinds=[Kind.FACT], limit=200)).items
        learned += len(facts)
        story.console.print(Text.assemble("\n  ", (f"{user}: ", "bold cyan"), f"{len(facts)} facts, such as"))
        for fact in facts[-_FACTS:]:
            source = (await memories.show(fact.source_ids[0])).memory
            origin = said.get(source.message_id, source.text)
            line = Text.assemble("   ", fact.text, ("  ← ", "dim"), (origin, "dim"))
            story.console.print(line, overflow="ellipsis", no_wrap=True)
    story.console.print()
    story.tell(f"{learned} facts learned from what was said, each with its source; every memory has a vector", facts=learned)


async def _ask(client: MemoryClient, story: Story) -> None:
    contexts = []
    for user, question in QUESTIONS:
        answer = await client.for_user(user).context(question, limit=_ITEMS, record=False)
        story.console.print(Text.assemble("\n  ", (f"{user}: ", "bold cyan"), (question, "bold")), soft_wrap=True)
        print_items(story.console, answer.items, indent="  ", ids=False)
        contexts.append({"user": user, "question": question, **answer.model_dump(mode="json")})
    story.console.print()
    story.tell("3 contexts, each from that person's own memories", contexts=contexts)


async def _destroy_and_rebuild(session: CliSession, client: MemoryClient, retriever: Child, story: Story) -> None:
    end = await _log_end(session)
    before = await _digests_at(session, client, end)
    story.tell(f"projection digest {before['projection']}", digest_before=before["projection"])
    await retriever.kill()
    shutil.rmtree(session.files.projection("retriever"))
    story.tell("retriever killed with SIGKILL, its files deleted")
    await retriever.start()
    after = await _digests_at(session, client, end)
    equal = after == before
    said = "[bold green]equal[/]" if equal else "[bold red]different[/]"
    story.tell(f"rebuilt from the log: {after['projection']}, {said}", digest_after=after["projection"], equal=equal)


async def _digests_at(session: CliSession, client: MemoryClient, position: int) -> Digests:
    """The retriever's digests, asked only once it has applied the log up to a position."""
    await client.stats(min_position=position, timeout_s=_PATIENCE_S)
    return await live_digests("retriever", session.settings)


async def _log_end(session: CliSession) -> int:
    async with operator_connection(session.settings) as client:
        return (await identify_log(client)).last_position


def _conversation() -> list[OwnedTurn]:
    try:
        lines = CONVERSATION.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError as error:
        raise Misconfigured(f"the sample conversation is missing: {CONVERSATION}") from error
    return jsonl.parse(lines, owner=Owner(_SPACE, "nobody")).turns
