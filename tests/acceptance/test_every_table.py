"""Whatever somebody changes by hand in a file that is built from the log is noticed, and the file and the mend are named."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Engine

from memstream.cli.holding import Projections, look_at
from services.ingest.rebuild import rebuild as rebuild_ingest
from services.retriever.rebuild import rebuild as rebuild_retriever
from shared.contracts.errors import ProjectionDamaged, outcome_of
from shared.contracts.ids import Scope, Space, User
from shared.runtime.sqlite import DatabaseError, driver, open_database
from tests.acceptance.processes import SERVICES, Bot, Installation

_FACTS = ("I am allergic to walnuts.", "I am allergic to WALNUTS!", "Bob Smith owns a boat.", "I live in York.")
_SAID = (
    ("s1", "My sister Quixeldra Miller lives in Leeds."),
    ("s1", "I work as a nurse in York since Monday."),
    ("s1", "I moved to London yesterday."),
    ("s2", "Don't remember this: I owe Bob money."),
    ("s2", "what do you remember about Quixeldra?"),
)
_HARMLESS = {
    # Where a lane reads on: from an earlier place it reads again what it then recognises; a later one is noticed if it lies
    # beyond what was sent, and changes nothing if it does not.
    "slot",
    # Its first row is the version of people's files: with another one all of them are built anew at the next start.
    "meta",
}


_OFTEN = {"retriever"}
"""Looked at in every run; nightly the others too."""


_OF_ENGINES = ("sqlite_", "memory_words", "vec_signs_", "vector_models")
"""Tables of SQLite itself, and of the index, of which only what is not indexed is noticed."""


class Change(NamedTuple):
    """What somebody does to a table."""

    table: str
    statement: str


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "service", [pytest.param(each, marks=() if each in _OFTEN else pytest.mark.nightly) for each in SERVICES]
)
async def test_each_table_that_somebody_changes_by_hand_is_noticed(installation: Installation, service: str) -> None:
    await _look_at_changes(installation, service, is_each_column=False)


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("service", SERVICES)
async def test_each_column_that_somebody_changes_by_hand_is_noticed(installation: Installation, service: str) -> None:
    await _look_at_changes(installation, service, is_each_column=True)


async def _look_at_changes(installation: Installation, service: str, *, is_each_column: bool) -> None:
    async with installation.bot() as bot:
        await _live(installation, bot)
    await installation.stop_services()
    assert await _damaged(installation, service) == []
    unseen = []
    for file in _files(installation, service):
        everybody = _scopes(installation)
        looked_at = everybody[:1] if everybody[0] in file.name else everybody  # her own file holds nothing of the other's
        for change in _changes(file, everybody[0], is_each_column=is_each_column):
            with _changed(file, change.statement) as is_done:
                if is_done and not _is_named(await _damaged(installation, service, looked_at), file, service):
                    unseen.append(change)
    assert {change.table for change in unseen} <= _HARMLESS, unseen
    assert await _damaged(installation, service) == []


_MENDS = {"retriever": rebuild_retriever, "ingest": rebuild_ingest}
_LOST = (
    ("retriever", "DELETE FROM scope"),
    ("ingest", "DELETE FROM scope"),
    ("ingest", "DELETE FROM decision"),
    ("ingest", "UPDATE slot SET decided = decided + 1000"),
)


@pytest.mark.timeout(180)
async def test_a_service_does_not_start_with_rows_that_are_lost(installation: Installation) -> None:
    async with installation.bot() as bot:
        await _live(installation, bot)
        known = await bot.ask("ask.home.anna.list", {"limit": 100})
        for service, statement in _LOST:
            await installation.stop_services()
            file = next(_files(installation, service))
            assert _execute(file, statement)
            await installation.start_service(service)
            assert await asyncio.wait_for(installation.ended(service), 30) == outcome_of(ProjectionDamaged()).exit_code
            assert _is_named([installation.log_of(service)], file, service)
            assert _is_named(await _damaged(installation, service), file, service)
            await _MENDS[service](installation.settings)
            for each in SERVICES:
                await installation.start_service(each)
            assert (await bot.ask("ask.home.anna.list", {"limit": 100}))["items"] == known["items"] != []


@pytest.mark.timeout(120)
async def test_where_a_lane_reads_on_can_be_lost(installation: Installation) -> None:
    async with installation.bot() as bot:
        await _live(installation, bot)
        await installation.stop_services()
        before = (await _looked_at(installation, "ingest")).digests["ingest"]
        _execute(next(_files(installation, "ingest")), "DELETE FROM slot")
        await installation.start_service("ingest")
        assert await installation.admin("admin.ingest.digests") == before
        sequence = await bot.send("send.home.anna.remember_fact", {"text": "I own a kayak."})
        outcome = await bot.ask("ask.home.anna.outcome", {"sequence": sequence, "timeout_s": 10})
        assert outcome["verdict"] == "recorded"
    await installation.stop_services()
    assert await _damaged(installation, "ingest") == []


async def _live(installation: Installation, bot: Bot) -> None:
    for user in ("anna", "ben"):
        for text in _FACTS:
            await bot.send(f"send.home.{user}.remember_fact", {"text": text, "session_id": "s0"})
        for number, (session, text) in enumerate(_SAID):
            said = {"session_id": session, "text": text, "speaker": user, "message_id": f"m{number}"}
            await bot.send(f"send.home.{user}.user_message", said)
        await bot.send(f"send.home.{user}.change_settings", {"settings": {"idle_minutes": 9}})
        sequence = await bot.send(f"send.home.{user}.start_incognito", {"session_id": "s9"})
        await bot.ask(f"ask.home.{user}.outcome", {"sequence": sequence, "timeout_s": 10})
    await installation.learned()
    await bot.ask("ask.home.anna.context", {"query": "Where does Quixeldra live?", "session_id": "s3"})
    await bot.send("send.home.anna.forget", {"query": "boat"})
    await bot.send("send.home.ben.forget", {"session_id": "s1"})
    await installation.at_rest()


def _scopes(installation: Installation) -> list[Scope]:
    return [installation.keys.scope_of(Space("home"), User(user)) for user in ("anna", "ben")]


def _files(installation: Installation, service: str) -> Iterator[Path]:
    scope = _scopes(installation)[0]
    names = {"retriever": ("index.db", f"memories/{scope[:2]}/{scope}.db")}
    for name in names.get(service, (f"{service}.db",)):
        yield installation.files.projection(service) / name


def _is_named(told: Sequence[str], file: Path, service: str) -> bool:
    mend = f"stop memstream and run: memstream rebuild --projection {service}"
    return any(file.name in each and mend in each for each in told)


async def _looked_at(installation: Installation, service: str, scopes: Sequence[Scope] = ()) -> Projections:
    """All of these people, or of everybody."""
    found = Projections()
    await look_at(service, installation.settings, scopes or _scopes(installation), found)
    return found


async def _damaged(installation: Installation, service: str, scopes: Sequence[Scope] = ()) -> list[str]:
    return (await _looked_at(installation, service, scopes)).damaged


def _changes(file: Path, scope: Scope, *, is_each_column: bool) -> list[Change]:
    """Each table without one row, without any, and with another value in its last column, or each; an empty one with a row."""
    engine = open_database(file)
    names = [name for (name,) in _rows(engine, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    statements = {name: list(_of_table(engine, name, scope)) for name in names if not name.startswith(_OF_ENGINES)}
    engine.dispose()
    kept = {name: each if is_each_column else [*each[:2], *each[2:][-1:]] for name, each in statements.items()}
    return [Change(name, statement) for name, each in kept.items() for statement in each]


def _of_table(engine: Engine, table: str, scope: Scope) -> Iterator[str]:
    columns = _rows(engine, f"PRAGMA table_info({table})")
    if not _rows(engine, f"SELECT 1 FROM {table} LIMIT 1"):
        yield f"INSERT INTO {table} VALUES ({', '.join(_made(name, kind, scope) for _, name, kind, *_ in columns)})"
        return
    keys = [name for _, name, *_, place in columns if place] or ["rowid"]
    first = " AND ".join(f"{key} = (SELECT {key} FROM {table} ORDER BY {', '.join(keys)} LIMIT 1)" for key in keys)
    yield f"DELETE FROM {table} WHERE {first}"
    yield f"DELETE FROM {table}"
    for _, name, kind, *_ in columns:
        yield f"UPDATE {table} SET {name} = {_other(name, kind)} WHERE {first}"


def _made(name: str, kind: str, scope: Scope) -> str:
    if name == "scope":
        return f"x'{scope}'" if kind == "BLOB" else f"'{scope}'"
    return {"BLOB": "x'31'", "TEXT": "'x'", "": "'x'"}.get(kind, "1")


def _other(name: str, kind: str) -> str:
    more = {"BLOB": f"CAST(coalesce({name}, x'') || x'31' AS BLOB)", "TEXT": f"coalesce({name}, '') || 'x'"}
    return more.get(kind or "TEXT", f"coalesce({name}, 0) + 1")


def _rows(engine: Engine, query: str) -> list[Any]:
    with engine.connect() as db:
        return list(driver(db).execute(query).fetchall())


def _execute(file: Path, statement: str) -> bool:
    """Run a statement as somebody would; False where SQLite refuses it, or it changes nothing."""
    engine = open_database(file)
    try:
        with engine.begin() as db:
            return db.exec_driver_sql(statement).rowcount != 0
    except DatabaseError:
        return False
    finally:
        engine.dispose()


@contextmanager
def _changed(file: Path, statement: str) -> Iterator[bool]:
    """Change a file that nobody has open, and put the old one back."""
    kept = file.with_suffix(".kept")
    shutil.copyfile(file, kept)
    try:
        yield _execute(file, statement)
    finally:
        kept.replace(file)
