"""The glossary explains every word of the public surface, each once and shortly, and no word that is not in use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.main import get_command

from memstream import MemoryClient
from memstream.cli import app
from shared.contracts.commands import COMMANDS
from shared.contracts.events import EVENTS
from shared.contracts.parts import Kind, Standing
from shared.contracts.preferences import PersonSettings, RankingOptions
from shared.contracts.queries import QUERIES, Fate, Verdict
from shared.runtime.metrics import REGISTRY
from shared.runtime.topology import MEMORY, REJECTED, SEND

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs/glossary.md"
SHORTEST = 3
ENDINGS = ("ion", "ing", "ed", "s", "e", "y", "i")

ENGLISH = """actions add again agent all answer batch below bytes call change close connect copy cost create current days
default delete demo detect doctor due enabled end errors fail failure finish for get given init is limit lost manual mark
minutes not oldest over question raw remove replies resolve response seconds start success system time timestamp to today
unset up update waiting would zone"""
"""Words of names that mean what they mean everywhere."""


class Entry(NamedTuple):
    """A row of the glossary."""

    words: tuple[str, ...]
    meaning: str
    more: str


ENTRIES = [
    Entry(tuple(words.split(", ")), meaning, more)
    for words, meaning, more in re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", GLOSSARY.read_text("utf-8"), re.MULTILINE)
    if words not in {"Word", "---"}
]
EVERY_ENTRY = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.words[0])


def stem(word: str) -> str:
    """The beginning that all forms of a regular word share: `pin` of `pinned`, `appl` of `apply` and `applied`."""
    if len(word) > SHORTEST and word[-1] == word[-2]:
        return stem(word[:-1])
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            return stem(word.removesuffix(ending))
    return word


def words_of(names: Iterable[str]) -> set[str]:
    return {word for name in names for word in re.findall(r"[a-z]{2,}", name.lower())}


def cli_commands(command: object, path: str = "") -> Iterator[str]:
    for name, sub in getattr(command, "commands", {}).items():
        yield from cli_commands(sub, f"{path} {name}")
    if not hasattr(command, "commands"):
        yield path


PUBLIC: dict[str, Iterable[str]] = {
    "events": EVENTS,
    "commands": COMMANDS,
    "queries": QUERIES,
    "streams": (MEMORY, SEND, REJECTED),
    "client": tuple(name for name in dir(MemoryClient) if not name.startswith("_")),
    "command line": tuple(name for name in cli_commands(get_command(app)) if not name.startswith(" eval ")),
    "settings of a person": (*PersonSettings.model_fields, *RankingOptions.model_fields),
    "metrics": tuple(metric.name.removeprefix("memstream_") for metric in REGISTRY.collect()),
    "verdicts": tuple(Verdict),
    "statuses": (*Standing, *Kind, *Fate),
}


@pytest.mark.parametrize("names", PUBLIC.values(), ids=PUBLIC)
def test_every_word_of_a_public_name_is_explained(names: Iterable[str]) -> None:
    explained = {stem(word) for word in words_of([ENGLISH, *(word for entry in ENTRIES for word in entry.words)])}
    assert {word for word in words_of(names) if stem(word) not in explained} == set()


def test_words_are_left_out_only_where_a_name_has_them() -> None:
    in_use = {stem(word) for names in PUBLIC.values() for word in words_of(names)}
    assert {word for word in words_of([ENGLISH]) if stem(word) not in in_use} == set()


def test_every_word_is_explained_once_and_in_order() -> None:
    words = [entry.words[0] for entry in ENTRIES]
    assert words == sorted(set(words))


@EVERY_ENTRY
def test_an_entry_is_two_sentences_at_most_and_says_where_to_read_on(entry: Entry) -> None:
    assert len(re.findall(r"\.(?= |$)", entry.meaning)) <= 2
    assert re.fullmatch(r"\[[^\]]+\]\([^)]+\)", entry.more)


@pytest.fixture(scope="module")
def everything_else() -> str:
    folders = ("sdk", "shared", "services", "docs")
    files = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md"})
    return "\n".join(path.read_text("utf-8") for path in files if path != GLOSSARY).lower()


@EVERY_ENTRY
def test_no_word_is_explained_that_nothing_uses(entry: Entry, everything_else: str) -> None:
    for word in entry.words:
        assert re.search(rf"\b{re.escape(word)}|\b{re.escape(word).replace(' ', '_')}", everything_else), word


@EVERY_ENTRY
def test_what_an_entry_names_in_code_exists(entry: Entry, everything_else: str) -> None:
    for name in re.findall(r"`([a-z_]+)`", entry.meaning):
        assert name in everything_else, name
