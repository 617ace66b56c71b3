"""`whatif`: what would be known, and what would have been answered, with other settings. Nothing live is changed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console

from memstream.cli.options import DEFAULT_SPACE, BotOption, SpaceOption
from memstream.cli.progress import progress_bar
from memstream.cli.sending import open_sessions
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.text import counted, one_line
from memstream.cli.whatif_asking import (
    AskedThen,
    all_of,
    asked_by,
    people_of,
    ranked_otherwise,
    remembered_otherwise,
)
from memstream.cli.whatif_differences import ContextDifference, FactDifference, Named, of_facts
from memstream.cli.whatif_replay import replayed
from memstream.client import MemoryClient
from memstream.importers.turns import Owner
from shared.contracts.parts import Kind
from shared.contracts.preferences import Fusion, RankingOptions
from shared.runtime.credentials import DEFAULT_BOT

_MOST_SHOWN = 20


class WhatIf(NamedTuple):
    """What would be otherwise: contexts of questions, in their order, and what is known of each person."""

    contexts: list[ContextDifference]
    facts: list[FactDifference]


def whatif(
    ctx: typer.Context,
    *,
    ranking: Annotated[str | None, typer.Option("--ranking", help='Other weights, as JSON: {"beta": 0.5}.')] = None,
    fusion: Annotated[Fusion | None, typer.Option("--fusion", help="Another fusion of the legs.")] = None,
    embedder: Annotated[str | None, typer.Option("--embedder", help="Another embedder, as MEMSTREAM_EMBEDDER_KIND.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another setting of the services, as MEMSTREAM_LLM_MODEL=name; may be repeated."),
    ] = None,
    relearn: Annotated[bool, typer.Option("--relearn", help="Learn all anew, by the rules of this version.")] = False,
    space: SpaceOption = DEFAULT_SPACE,
    user: Annotated[str | None, typer.Option("--user", help="One person. (default: everybody in the space)")] = None,
    last: Annotated[int, typer.Option("--last", min=1, max=500, help="Most questions of each, the newest.")] = 20,
    bot: BotOption = DEFAULT_BOT,
) -> None:
    """Show what would be known, and what the contexts of recorded questions would have held, with other settings."""
    session = replace(session_of(ctx), space=space, user=user or "nobody", bot=bot)
    try:
        options = RankingOptions.model_validate(json.loads(ranking) if ranking else {})
    except ValueError as error:
        raise typer.BadParameter(f"--ranking does not fit: {error}") from error
    found = options.model_dump(exclude_none=True)
    other = found | ({"fusion": fusion} if fusion else {})
    changed = _settings(settings, embedder)
    if not (other or changed or relearn):
        raise typer.BadParameter("say what is to be otherwise: --ranking, --fusion, --embedder, --set or --relearn")
    is_replayed = bool(changed or relearn)
    contexts, facts = run(whatif_of(session, user, other, changed, last, is_replayed=is_replayed))
    document = {
        "is_replayed": is_replayed,
        "contexts": [asdict(each) for each in contexts],
        "facts": [asdict(each) for each in facts],
    }
    session.show(document, lambda console: _print(console, contexts, facts))


async def whatif_of(
    session: CliSession, user: str | None, ranking: dict[str, Any], settings: dict[str, str], last: int, *, is_replayed: bool
) -> WhatIf:
    """What would be otherwise for one person, or for everybody in the session's space."""
    people = [user] if user is not None else await people_of(session)
    async with session.client() as client:
        said = {each: await all_of(client.for_user(each), Kind.EPISODE) for each in people}
        asked = await asked_by(session, said, last)
        if not is_replayed:
            return WhatIf(await _ranked_otherwise(client, asked, ranking), [])
        known = {each: await all_of(client.for_user(each), Kind.FACT) for each in people}
        kept = {Owner(session.space, each): [fact for fact in known[each] if fact.manually_saved] for each in people}
        turns = {Owner(session.space, each): said[each] for each in people}
        still_open = {Owner(session.space, each): await open_sessions(client.for_user(each)) for each in people}
        async with replayed(session, turns, kept, still_open, settings) as side:
            contexts, facts = [], []
            for each in people:
                memory, other = client.for_user(each), side.client.for_user(each, space=session.space)
                facts.append(of_facts(each, known[each], await all_of(other, Kind.FACT)))
                contexts += [
                    await remembered_otherwise(memory, other, each, question, ranking, position=side.position)
                    for question in asked[each]
                ]
        return WhatIf(contexts, facts)


async def _ranked_otherwise(
    client: MemoryClient, asked: Mapping[str, Sequence[AskedThen]], ranking: dict[str, Any]
) -> list[ContextDifference]:
    """The questions of these people, as of then, with another ranking."""
    questions = [(user, question) for user, of in asked.items() for question in of]
    with progress_bar("questions") as progress:
        return [
            await ranked_otherwise(client.for_user(user), user, question, ranking)
            for user, question in progress.track(questions, description="asking again")
        ]


def _settings(said: Sequence[str] | None, embedder: str | None) -> dict[str, str]:
    """Which settings of the services are otherwise. Raises BadParameter."""
    found = {"MEMSTREAM_EMBEDDER_KIND": embedder} if embedder else {}
    for each in said or ():
        name, equals, value = each.partition("=")
        if not equals or not name.startswith("MEMSTREAM_"):
            raise typer.BadParameter(f"--set takes MEMSTREAM_NAME=value, not {each!r}")
        found[name] = value
    return found


def _print(console: Console, contexts: Sequence[ContextDifference], facts: Sequence[FactDifference]) -> None:
    for each in facts:
        console.print(f"{each.user}: {counted(each.same, 'fact')} as now, {len(each.lost)} less, {len(each.gained)} more")
        for mark, texts in (("-", each.lost), ("+", each.gained)):
            for text in texts[:_MOST_SHOWN]:
                console.print(f"  {mark} {one_line(text)}", markup=False, soft_wrap=True)
    differing = [context for context in contexts if context.is_any]
    console.print(f"{counted(len(contexts), 'question')} asked again, the contexts of {len(differing)} would be otherwise")
    if not contexts:
        console.print("(a question can be asked again if the bot gave `message_id` with it: the turn that asked)")
    for context in differing[:_MOST_SHOWN]:
        order = ", in another order" if context.is_reordered else ""
        more = f"{len(context.lost)} less, {len(context.gained)} more{order}"
        console.print(f"{context.user}, turn {context.turn_id}: {more}", markup=False)
        _print_named(console, "-", context.lost)
        _print_named(console, "+", context.gained)


def _print_named(console: Console, mark: str, named: Sequence[Named]) -> None:
    for each in named[:_MOST_SHOWN]:
        console.print(f"  {mark} {one_line(each.text)}  [{each.name}]", markup=False, soft_wrap=True)
