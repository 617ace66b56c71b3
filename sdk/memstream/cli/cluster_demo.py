"""`cluster demo`: a chat goes on while three servers, two ingests and two retrievers are killed, and nothing is missing."""

import asyncio

import typer
from rich.console import Console

from memstream.cli.children import Child, once_answered, running, temporary_session
from memstream.cli.cluster_chat import SPACE, Chat, Inquiry, clients, decided_after_s, kill_servers, turns_in_log, what_differs
from memstream.cli.demo import Story
from memstream.cli.local_cluster import LocalCluster, local_cluster
from memstream.cli.server import log_to_stderr
from memstream.cli.session import CliSession, run, session_of
from memstream.client import MemoryClient
from shared.contracts.errors import EventsLost
from shared.contracts.ids import User
from shared.contracts.subjects import SLOTS, slot_of
from shared.domain.parts import Part
from shared.runtime.tasks import end

_PAUSE_S = 0.02
_PARTS = 2
_KILLS = 2


def demo(ctx: typer.Context) -> None:
    """See three servers outlive their leader, and all three a power cut, while a chat goes on; in a temporary folder."""
    session = session_of(ctx)
    log_to_stderr(session)
    story = Story(Console(highlight=False, quiet=session.as_json))
    with temporary_session(session) as own:
        run(_demo(own, story))
    if session.as_json:
        session.show(story.document, lambda _: None)
    if any(story.document["differs"].values()):
        raise EventsLost("acknowledged turns are missing, doubled or out of order")


async def _demo(session: CliSession, story: Story) -> None:
    async with local_cluster(session.files) as cluster:
        story.tell("three NATS servers, each stream on all of them")
        own = CliSession(cluster.settings)
        ingests, retrievers = services(own)
        async with running(*ingests, *retrievers), clients(cluster.settings, _PARTS + 1) as (asking, *talking):
            await once_answered([*ingests, *retrievers], lambda: asking.for_user("nobody", space=SPACE).stats(timeout_s=1))
            story.tell("two ingests, each for half of all people, and two retrievers run")
            said = await _chat(cluster, talking, story)
            await _kill_services(asking, ingests[1], retrievers[1], story)
        differs = what_differs(said, await turns_in_log(cluster.settings))
        turns = sum(map(len, said.values()))
        story.tell(f"{turns} acknowledged turns of {len(said)} people: {_found(differs)}", turns=turns, differs=differs)


def services(session: CliSession, **environment: str) -> tuple[list[Child], list[Child]]:
    """Two ingests and two retrievers on the servers of this session, as processes."""
    told = {
        "MEMSTREAM_NATS_URL": session.settings.nats_url or "",
        "MEMSTREAM_EMBEDDER_KIND": "hashing",
        **environment,
    }

    def each(service: str) -> list[Child]:
        name = f"MEMSTREAM_{service.upper()}_PART"
        return [Child(session, "run", service, environment={**told, name: f"{part + 1}/{_PARTS}"}) for part in range(_PARTS)]

    return each("ingest"), each("retriever")


def people_of(part: int, count: int = 2) -> list[str]:
    """The names of some people of a part of all."""
    names = (f"person-{number}" for number in range(SLOTS * count))
    return [name for name in names if Part.of_slot(slot_of(User(name)), _PARTS).index == part][:count]


async def _chat(cluster: LocalCluster, talking: list[MemoryClient], story: Story) -> dict[str, list[str]]:
    """Have people talk while servers are killed; what each has said."""
    chats = [Chat(memory, people_of(part), pause_s=_PAUSE_S) for part, memory in enumerate(talking)]
    tasks = [asyncio.create_task(chat.run()) for chat in chats]
    try:
        for kill in range(_KILLS):
            victims = await kill_servers(cluster, kill)
            who = "the server that leads the log" if len(victims) == 1 else "all three servers at once"
            story.tell(f"{who} killed with SIGKILL while people talk, and started again")
        await cluster.until_whole()
        for chat in chats:
            chat.is_over = True
        await asyncio.gather(*tasks)
    finally:
        await end(tasks)
    stall_s = max(chat.longest_stall_s for chat in chats)
    story.tell(f"all that was said is acknowledged; who waited longest waited {stall_s:.1f} s", longest_stall_s=stall_s)
    return {user: ids for chat in chats for user, ids in chat.said.items()}


async def _kill_services(memory: MemoryClient, ingest: Child, retriever: Child, story: Story) -> None:
    asking = Inquiry(memory, [*people_of(0), *people_of(1)])
    task = asyncio.create_task(asking.run())
    try:
        await retriever.kill()
        await ingest.kill()
        decided_s = await decided_after_s(memory, people_of(1)[0])
        await asking.until(1)  # the one that the killed retriever had may wait longer
    finally:
        await end([task])
    most = max(asking.tries)
    story.tell(
        f"one of two ingests and one of two retrievers killed: its people's turns are decided again after {decided_s:.1f} s;"
        f" of {len(asking.tries)} questions meanwhile none was asked more than {most} times, or took more than"
        f" {asking.longest_s:.1f} s",
        decided_again_s=decided_s,
        questions=len(asking.tries),
        tries=most,
        longest_question_s=asking.longest_s,
    )


def _found(differs: dict[str, int]) -> str:
    wrong = [f"{count} {what.replace('_', ' ')}" for what, count in differs.items() if count]
    return f"[bold red]{', '.join(wrong)}[/]" if wrong else "[bold green]all there, each once, in each person's order[/]"
