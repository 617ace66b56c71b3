"""`rejected list`, `show`, `retry`, `erase`: what was refused, and what becomes of it."""

from collections import deque
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from memstream.cli.dead_letters import DeadLetter, WantedLetters, body_of, erase_letter, letters, send_again
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.text import counted, harmless, minute, one_line, size
from shared.contracts.errors import Malformed, MemstreamError, NotFound, Rejected, error_classes
from shared.contracts.queries import Verdict
from shared.runtime.connection import Client, operator_connection

LetterNumber = Annotated[int, typer.Argument(min=1, help="The message, as `rejected list` names it.")]
LetterNumbers = Annotated[list[int] | None, typer.Argument(min=1, help="The messages, as `rejected list` names them.")]
OfSpace = Annotated[str | None, typer.Option("--space", help="Only of this space.")]
OfUser = Annotated[str | None, typer.Option("--user", help="Only of this user.")]
OfCode = Annotated[str | None, typer.Option("--code", help="Only those refused with this code.")]
Everything = Annotated[bool, typer.Option("--all", help="All that the options leave, without naming them.")]


def list_(
    ctx: typer.Context,
    *,
    space: OfSpace = None,
    user: OfUser = None,
    code: OfCode = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many: the newest.")] = 50,
) -> None:
    """List the messages that were refused in the last 14 days, oldest first, without their words."""
    session = session_of(ctx)
    found = run(_listed(session, WantedLetters(space=space, user=user, code=code), limit))
    session.show([letter.document for letter in found], lambda console: _print_all(console, found))


def show(ctx: typer.Context, number: LetterNumber) -> None:
    """Show one refused message, with what it says."""
    session = session_of(ctx)
    letter, body = run(_shown(session, number))
    said = body.decode(errors="replace")

    def human(console: Console) -> None:
        console.print(_line(letter))
        console.print(Text(letter.reason))
        console.print(Text(harmless(said)) if said else Text("(kept without its words)", "dim"))

    session.show({**letter.document, "body": said}, human)


def retry(
    ctx: typer.Context,
    numbers: LetterNumbers = None,
    *,
    space: OfSpace = None,
    user: OfUser = None,
    code: OfCode = None,
    everything: Everything = False,
    body: Annotated[
        Path | None, typer.Option("--with", exists=True, dir_okay=False, help="A file with what the message should have said.")
    ] = None,
) -> None:
    """Send refused messages again, oldest first; what is taken now is not refused any more."""
    session = session_of(ctx)
    wanted = _wanted(numbers, space, user, code, everything=everything)
    if body is not None and len(wanted.numbers) != 1:
        raise typer.BadParameter("--with goes with one message, which is named")
    results = run(_retried(session, wanted, None if body is None else body.read_bytes()))
    session.show(results, lambda console: _print_results(console, results))
    refused = [each for each in results if each["verdict"] == Verdict.REJECTED]
    if refused:
        kind = error_classes().get(str(refused[0]["code"]), Rejected)
        raise kind(f"{counted(len(refused), 'message')} refused again ({', '.join(sorted({str(e['code']) for e in refused}))})")


def erase(
    ctx: typer.Context,
    numbers: LetterNumbers = None,
    *,
    space: OfSpace = None,
    user: OfUser = None,
    code: OfCode = None,
    everything: Everything = False,
) -> None:
    """Erase refused messages from the disk. What they said is lost."""
    session = session_of(ctx)
    erased = run(_erased(session, _wanted(numbers, space, user, code, everything=everything)))
    session.show({"erased": erased}, lambda console: console.print(f"{counted(len(erased), 'message')} erased"))


def _wanted(
    numbers: list[int] | None, space: str | None, user: str | None, code: str | None, *, everything: bool
) -> WantedLetters:
    if not numbers and not everything:
        raise typer.BadParameter("name messages, or say --all")
    if numbers and everything:
        raise typer.BadParameter("name messages, or say --all; not both")
    return WantedLetters(tuple(numbers or ()), space, user, code)


async def _listed(session: CliSession, wanted: WantedLetters, limit: int) -> list[DeadLetter]:
    async with operator_connection(session.settings) as client:
        newest = deque[DeadLetter](maxlen=limit)
        async for letter in letters(client, wanted):
            newest.append(letter)
        return list(newest)


async def _shown(session: CliSession, number: int) -> tuple[DeadLetter, bytes]:
    async with operator_connection(session.settings) as client:
        (letter,) = await _found(client, WantedLetters((number,)))
        return letter, await body_of(client, number)


async def _found(client: Client, wanted: WantedLetters) -> list[DeadLetter]:
    """The letters that are meant. Raises NotFound where one that is named is not there."""
    found = [letter async for letter in letters(client, wanted)]
    if lacking := sorted(set(wanted.numbers) - {letter.number for letter in found}):
        named = ", ".join(map(str, lacking))
        raise NotFound(f"there is no refused message {named}; `memstream rejected list` names them")
    return found


async def _retried(session: CliSession, wanted: WantedLetters, mended: bytes | None) -> list[dict[str, Any]]:
    async with operator_connection(session.settings) as client:
        return [
            await _retry_one(client, letter, mended, is_named=bool(wanted.numbers)) for letter in await _found(client, wanted)
        ]


async def _retry_one(client: Client, letter: DeadLetter, mended: bytes | None, *, is_named: bool) -> dict[str, Any]:
    body = await body_of(client, letter.number) if mended is None else mended
    try:
        outcome = await send_again(client, letter, body, is_new=mended is not None)
    except Malformed as error:
        if is_named:
            raise
        return {"number": letter.number, "verdict": "left", "code": error.code, "reason": error.message}
    except MemstreamError as error:
        raise type(error)(f"message {letter.number}: {error.message}") from error
    return {"number": letter.number, "verdict": outcome.verdict, "code": outcome.code, "reason": outcome.reason}


async def _erased(session: CliSession, wanted: WantedLetters) -> list[int]:
    async with operator_connection(session.settings) as client:
        return [letter.number for letter in await _found(client, wanted) if await erase_letter(client, letter.number)]


def _print_all(console: Console, found: list[DeadLetter]) -> None:
    for letter in found:
        console.print(_line(letter), soft_wrap=True)
    if not found:
        console.print("nothing was refused")


def _line(letter: DeadLetter) -> Text:
    who = "nobody" if letter.user is None else f"{one_line(letter.space or '', 20)}/{one_line(letter.user, 20)}"
    return Text.assemble(
        f"{letter.number:>7}  ",
        (f"{minute(letter.at)}  ", "dim"),
        f"{who}  {one_line(letter.what, 30)}  ",
        (letter.code, "red"),
        (f"  {size(letter.whole_bytes)}", "dim"),
    )


def _print_results(console: Console, results: list[dict[str, Any]]) -> None:
    for each in results:
        why = f": {each['reason'] or each['code']}" if each["reason"] or each["code"] else ""
        console.print(Text(f"{each['number']:>7}  {each['verdict']}{why}"), soft_wrap=True)
    if not results:
        console.print("nothing was refused")
