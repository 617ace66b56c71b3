"""`forget`, `forget-user`, `take-back` and `receipt`: what a person does not want kept any more."""

import asyncio
import shlex
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from memstream.cli.memory_ids import whole_id
from memstream.cli.options import DEFAULT_SPACE, DEFAULT_USER, BotOption, SpaceOption, about_person
from memstream.cli.sending import decided, known
from memstream.cli.session import CliSession, answer_console, progress_console, session_of
from memstream.cli.text import counted, memories, minute, one_line
from memstream.client import Memories, MemoryClient
from shared.contracts.errors import NotCaughtUp, NotFound
from shared.contracts.privacy import Scan
from shared.contracts.queries import ForgetPreviewAnswer, ReceiptAnswer
from shared.runtime.credentials import DEFAULT_BOT

_PERIOD_S = 0.2
_PATIENCE_S = 600.0
_WIDE = 100

MemoryIdsArgument = Annotated[
    list[str] | None, typer.Argument(help="Memories, as `memstream list` names them; the beginnings are enough.")
]
WordsOption = Annotated[str | None, typer.Option("--query", help="Every memory that holds all of these words.")]
MessageOption = Annotated[str | None, typer.Option("--message", help="The turn with this message_id, deleted on its platform.")]
SessionOption = Annotated[str | None, typer.Option("--session", help="Everything of this session.")]
OnlyOption = Annotated[
    bool, typer.Option("--only", help="Nothing but what is named: no duplicates, earlier versions or source turns.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only show what would be forgotten.")]
ConfirmOption = Annotated[
    str | None, typer.Option("--confirm", help="The token of a dry run: take what it showed in doubt as well, and do not ask.")
]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
WaitOption = Annotated[
    bool, typer.Option("--wait/--no-wait", help="Wait until it is erased from the disk, and print the receipt.")
]


@about_person
def forget(
    session: CliSession,
    *,
    memory_ids: MemoryIdsArgument = None,
    query: WordsOption = None,
    message_id: MessageOption = None,
    session_id: SessionOption = None,
    only: OnlyOption = False,
    dry_run: DryRunOption = False,
    confirm: ConfirmOption = None,
    yes: YesOption = False,
    wait: WaitOption = True,
) -> None:
    """Forget memories: hidden at once, then erased from the log and from every file.

    With them go, unless --only is given, their near-duplicates, the turns that state them, and what rests on nothing else.
    """
    named = {"memory_ids": memory_ids, "query": query, "deleted_message_id": message_id, "session_id": session_id}
    if sum(map(bool, named.values())) != 1:
        raise typer.BadParameter("name memories, or give one of --query, --message and --session")

    async def forgotten(memory: MemoryClient) -> ForgetPreviewAnswer | ReceiptAnswer:
        target: dict[str, Any] = {**named, "only": only}
        target["memory_ids"] = [await whole_id(memory, each) for each in memory_ids or ()]
        plan = await memory.would_forget(**target)
        if dry_run or not plan.memories:
            if not session.as_json:
                await print_words(memory, answer_console(), plan)
            return plan
        asks = not (yes or confirm or session.as_json)
        if asks:
            await print_words(memory, progress_console(), plan)
            print_counts(progress_console(), plan)
            typer.confirm("Forget all of this?", abort=True, err=True)
        decision = await memory.forget(**target, confirm=plan.token if asks else confirm)
        await known(memory, decision.position)
        return await completed(memory, decision.number, wait=wait, whose=_options(session))

    found = session.ask(forgotten)
    if isinstance(found, ForgetPreviewAnswer):
        session.show(found.model_dump(mode="json"), lambda console: print_counts(console, found))
    else:
        session.show(found.model_dump(mode="json"), lambda console: print_receipt(console, found))


def forget_user(
    ctx: typer.Context,
    *,
    user: Annotated[str, typer.Argument(help="The person to forget.")],
    yes: YesOption = False,
    wait: WaitOption = True,
    space: SpaceOption = DEFAULT_SPACE,
    bot: BotOption = DEFAULT_BOT,
) -> None:
    """Forget everything about a person in a space."""
    session = replace(session_of(ctx), space=space, user=user, bot=bot)
    if not yes and not session.as_json:
        typer.confirm(f"Forget everything about {user} in {space}? Nobody can bring it back", abort=True, err=True)

    async def forgotten(memory: MemoryClient) -> ReceiptAnswer:
        decision = await memory.forget_user()
        await known(memory, decision.position)
        return await completed(memory, decision.number, wait=wait, whose=_options(session))

    done = session.ask(forgotten)
    session.show(done.model_dump(mode="json"), lambda console: print_receipt(console, done))


@about_person
def take_back(
    session: CliSession,
    *,
    number: Annotated[int | None, typer.Argument(min=1, help="The forgetting's number; else the last one that waits.")] = None,
) -> None:
    """Take back what was forgotten in chat, while it waits to be erased."""
    fields = {} if number is None else {"number": number}
    outcome = session.ask(lambda memory: decided(session, memory, "take_back", fields))
    session.show(outcome.model_dump(mode="json"), lambda console: console.print("taken back: all of it is known again"))


@about_person
def receipt(
    session: CliSession, *, number: Annotated[int, typer.Argument(min=1, help="The number that the forgetting was given.")]
) -> None:
    """Show how far a forgetting has come, or its receipt."""
    found = session.ask(lambda memory: memory.forgetting(number))
    session.show(found.model_dump(mode="json"), lambda console: print_receipt(console, found))


def _options(session: CliSession) -> str:
    """The options that name this person on the command line."""
    given = (("--space", session.space, DEFAULT_SPACE), ("--user", session.user, DEFAULT_USER))
    return "".join(f" {name} {shlex.quote(value)}" for name, value, usual in given if value != usual)


async def completed(memory: Memories, number: int | None, *, wait: bool, whose: str) -> ReceiptAnswer:
    """The receipt, when it is done or as far as it has come."""
    if not number:
        raise NotFound("there was nothing to forget: nothing is known of this person, or nothing that was named")
    found = await memory.forgetting(number)
    deadline = asyncio.get_running_loop().time() + _PATIENCE_S
    while wait and found.state != "done":
        if asyncio.get_running_loop().time() > deadline:
            raise NotCaughtUp(f"erasing goes on; ask later with `memstream receipt {number}{whose}`")
        await asyncio.sleep(_PERIOD_S)
        found = await memory.forgetting(number)
    return found


async def print_words(memory: Memories, console: Console, plan: ForgetPreviewAnswer) -> None:
    """Print what would be forgotten, one line for each memory: its id, the reason, and its words."""
    for each in plan.memories:
        why = f"{each.why}, in doubt" if each.in_doubt else each.why
        try:
            found = (await memory.show(each.memory_id)).memory
        except NotFound:
            console.print(f"{each.memory_id}  [dim]{why:15} hidden already: forgotten in chat, and not erased yet[/]")
            continue
        when, words = minute(found.occurred_at), escape(one_line(found.text, _WIDE))
        console.print(f"{each.memory_id}  [dim]{why:15}[/] {when}  {words}", soft_wrap=True)


def print_counts(console: Console, plan: ForgetPreviewAnswer) -> None:
    """Print how many memories would be forgotten, and how many events of the log."""
    if not plan.memories:
        console.print("nothing fits that; nothing would be forgotten")
        return
    losing = len(plan.losing_a_source)
    stays = f"; {counted(losing, 'fact')} {'stays' if losing == 1 else 'stay'} with one source less" if losing else ""
    console.print(f"{memories(len(plan.memories))}, {counted(plan.events, 'event')} of the log{stays}")
    if plan.token:
        console.print(f"what is in doubt goes with --confirm {plan.token}")


def _print_files(console: Console, scan: Scan) -> None:
    if scan.files == 0:  # a receipt of before files were looked through
        return
    sought = counted(scan.sought, "name, id or text", "names, ids and texts")
    held = f"[red]still found in {', '.join(scan.places)}[/]" if scan.places else "none found"
    files = "the files" if scan.files is None else counted(scan.files, "file")
    console.print(f"{sought} looked for in {files}: {held}")
    for each in scan.unread:
        console.print(f"[dim]not looked at: {each}[/]")


def print_receipt(console: Console, found: ReceiptAnswer) -> None:
    """How far a forgetting has come, or what its receipt says."""
    moment = minute(found.forgotten_at)
    if found.state == "taken_back" and found.completed_at is not None:
        console.print(f"what was forgotten at {moment} was taken back at {minute(found.completed_at)}: it is known again")
        return
    console.print(f"{memories(found.memories)} forgotten at {moment}, hidden from every query since then")
    if found.erase_at is not None:
        console.print(f"it is erased at {minute(found.erase_at)}; until then `memstream take-back` brings it back")
        return
    console.print(f"{found.erased} of {counted(found.events, 'event')} erased from the log")
    if found.scan is not None and found.completed_at is not None:
        scan = found.scan
        read = f"{counted(scan.events, 'event')} read again, {scan.found} of them held any of it"
        erased = f"{counted(scan.in_transit, 'message')} in transit and {scan.rejected} refused erased"
        console.print(f"done at {minute(found.completed_at)}: {read}; {erased}")
        _print_files(console, scan)
    for name in found.backups:
        console.print(f"[yellow]the backup {name} still holds it; delete it yourself[/]")
