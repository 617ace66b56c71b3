"""`memstream settings`: what a person has set for themselves in a space."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from pydantic_core import from_json
from rich.console import Console
from rich.table import Table

from memstream.cli.options import about_person
from memstream.cli.sending import decided
from memstream.cli.session import CliSession
from memstream.client import MemoryClient
from services.ingest.settings import IngestSettings
from services.maintenance.settings import MaintenanceSettings
from services.retriever.settings import RetrieverSettings, operator_ranking
from shared.contracts.errors import Malformed
from shared.contracts.preferences import PersonSettings, RankingOptions
from shared.contracts.queries import Preset

_RANKING = "ranking"


@about_person
def show(session: CliSession) -> None:
    """Show every setting, what it means, and what it is set to."""
    _show(session, session.ask(_current))


@about_person
def set_(
    session: CliSession,
    *,
    assignments: Annotated[
        list[str], typer.Argument(metavar="NAME=VALUE...", help="Such as `memory_enabled=false ranking.alpha=0.8`.")
    ],
) -> None:
    """Set some settings; the others stay."""
    given = dict(_assignment(words) for words in assignments)

    async def changed(memory: MemoryClient) -> PersonSettings:
        settings = {name: value for name, value in given.items() if "." not in name}
        options = {name.removeprefix(f"{_RANKING}."): value for name, value in given.items() if "." in name}
        if options:
            known = (await _current(memory)).ranking or RankingOptions()
            settings[_RANKING] = known.model_dump(exclude_none=True) | options
        outcome = await decided(session, memory, "change_settings", {"settings": settings})
        return await _current(memory, since=outcome.position)

    _show(session, session.ask(changed))


@about_person
def unset(
    session: CliSession, *, names: Annotated[list[str], typer.Argument(help="Settings that shall fall back to the default.")]
) -> None:
    """Let some settings fall back to the default."""

    async def changed(memory: MemoryClient) -> PersonSettings:
        outcome = await decided(session, memory, "change_settings", {"settings": {}, "unset": names})
        return await _current(memory, since=outcome.position)

    _show(session, session.ask(changed))


async def _current(memory: MemoryClient, *, since: int = 0) -> PersonSettings:
    return (await memory.stats(min_position=since)).settings


def _assignment(words: str) -> tuple[str, Any]:
    """A name and its value: JSON where it is such, else the words as they are."""
    name, sign, value = words.partition("=")
    known = {*PersonSettings.model_fields, *(f"{_RANKING}.{option}" for option in RankingOptions.model_fields)} - {_RANKING}
    if not sign or name not in known:
        raise Malformed(f"expected NAME=VALUE with one of the names {', '.join(sorted(known))}")
    try:
        return name, from_json(value)
    except ValueError:
        return name, value


def _defaults(session: CliSession) -> dict[str, object]:
    """The value of every setting that a person has not set, from the environment and the data folder."""
    ingest, maintenance = IngestSettings(), MaintenanceSettings()
    retention_days = maintenance.retention_spaces.get(session.space, maintenance.retention_days)
    operator = operator_ranking(session.files.ranking, RetrieverSettings().ranking)
    ranking = operator.weights(session.space, preset=Preset.SHIPPED).options
    return {
        "memory_enabled": True,
        "incognito_default": False,
        "time_zone": "UTC",
        "soft_cap": ingest.soft_cap,
        "pin_manual_saves": ingest.pin_manual_saves,
        "idle_minutes": maintenance.session_idle_minutes or "never",
        "retention_days": retention_days or "never",
        **{f"{_RANKING}.{name}": value for name, value in ranking},
    }


def _show(session: CliSession, settings: PersonSettings) -> None:
    usual = _defaults(session)
    session.show(settings.model_dump(mode="json"), lambda console: _print(console, settings, usual))


def _print(console: Console, settings: PersonSettings, usual: Mapping[str, object]) -> None:
    table = Table(box=None, pad_edge=False)
    for title in ("setting", "value", "meaning"):
        table.add_column(title)
    options = settings.ranking or RankingOptions()
    for name, field in PersonSettings.model_fields.items():
        if name != _RANKING:
            table.add_row(name, _value(getattr(settings, name), usual[name]), field.description)
    for option, field in RankingOptions.model_fields.items():
        name = f"{_RANKING}.{option}"
        table.add_row(name, _value(getattr(options, option), usual[name]), field.description)
    console.print(table)


def _value(value: object, usual: object) -> str:
    return f"[dim]{_words(usual)} (default)[/]" if value is None else _words(value)


def _words(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
