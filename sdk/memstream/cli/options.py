"""Options that several commands have."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from inspect import Signature, signature
from typing import Annotated, Any

import typer

from memstream.cli.session import session_of
from shared.contracts.parts import Kind
from shared.contracts.queries import Preset
from shared.runtime.credentials import DEFAULT_BOT

KINDS = tuple(kind.value for kind in Kind)
PRESETS = tuple(preset.value for preset in Preset)
SpaceOption = Annotated[str, typer.Option("--space", help="The namespace of the memories.")]
UserOption = Annotated[str, typer.Option("--user", help="The person who is remembered.")]
BotOption = Annotated[str, typer.Option("--bot", help="The bot to speak as.")]
KindsOption = Annotated[
    list[str] | None,
    typer.Option("--kind", help="episode, fact or rollup; may be repeated. Default: all.", autocompletion=lambda: list(KINDS)),
]
MemoryIdArgument = Annotated[str, typer.Argument(help="The memory, as `memstream list` names it; the beginning is enough.")]
AsOfOption = Annotated[datetime | None, typer.Option("--as-of", help="What was known at this moment, in UTC.")]
TagsOption = Annotated[list[str] | None, typer.Option("--tag", help="May be repeated.")]
WithTagsOption = Annotated[list[str] | None, typer.Option("--tag", help="Only with this tag; may be repeated.")]
EntitiesOption = Annotated[list[str] | None, typer.Option("--entity", help="Only those that mention it; may be repeated.")]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where", help="Only with this in the metadata, as channel=web or floor=2; repeated with one name: with any of these."
    ),
]
PresetOption = Annotated[
    str, typer.Option("--preset", help="The ranking: " + ", ".join(PRESETS) + ".", autocompletion=lambda: list(PRESETS))
]
SinceOption = Annotated[datetime | None, typer.Option("--since", help="Only what was said from this moment on, in UTC.")]
UntilOption = Annotated[datetime | None, typer.Option("--until", help="Only what was said before this moment, in UTC.")]

DEFAULT_PRESET = Preset.SHIPPED.value
DEFAULT_SPACE = "default"
DEFAULT_USER = "me"


def about_person(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say whose memories it is about, and as its first argument a session of theirs."""

    def with_options(
        ctx: typer.Context,
        *,
        space: SpaceOption = DEFAULT_SPACE,
        user: UserOption = DEFAULT_USER,
        bot: BotOption = DEFAULT_BOT,
        **options: Any,  # noqa: ANN401 - the command's own
    ) -> None:
        command(replace(session_of(ctx), space=space, user=user, bot=bot), **options)

    _, *own = signature(command, eval_str=True).parameters.values()
    ctx, *whose, _ = signature(with_options, eval_str=True).parameters.values()
    parameters = [ctx, *own, *whose]
    with_options.__doc__ = command.__doc__
    with_options.__signature__ = Signature(parameters)  # type: ignore[attr-defined] # typer reads both of these
    with_options.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_options


def narrowing(
    *,
    tags: list[str] | None,
    entities: list[str] | None,
    where: list[str] | None,
    since: datetime | None,
    until: datetime | None,
) -> dict[str, Any]:
    """What a query is limited to, as the client takes it."""
    named = map(_named_value, where or ())
    found: dict[str, list[Any]] = {}
    for name, value in named:
        found.setdefault(name, []).append(value)
    return {
        "tags": tags or (),
        "entities": entities or (),
        "metadata": {name: values if len(values) > 1 else values[0] for name, values in found.items()},
        "occurred_after": in_utc(since),
        "occurred_before": in_utc(until),
    }


def _named_value(said: str) -> tuple[str, Any]:
    """A name and its value: a number, `true` or other JSON where it is any, else a text."""
    name, equals, value = said.partition("=")
    if not (name and equals):
        raise typer.BadParameter(f"--where takes name=value, not {said!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def in_utc(moment: datetime | None) -> datetime | None:
    """A moment of the command line, which names no time zone."""
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment
