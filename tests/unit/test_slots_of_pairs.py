import tomllib
from pathlib import Path

import pytest

from shared.language.statements.reading import read_slots
from shared.language.statements.slots import Relation, claim_of, relation
from shared.language.tables import CODES, ENGLISH

TABLES = Path(__file__).parent.parent / "support" / "statements"
STRONGEST_FIRST = (Relation.SUPERSEDES, Relation.DOUBTFUL, Relation.BESIDE, Relation.NOTHING)
UNREAD = "unread"  # pairs of which a reader would see that the older has ended, and the rules do not yet
PAIRS = {table.stem: tomllib.loads(table.read_text(encoding="utf-8")) for table in sorted(TABLES.glob("*.toml"))}


LEAST_READ = {"en": 0.28, "de": 0.27, "es": 0.38, "fr": 0.33, "it": 0.65, "pt": 0.75}
"""Of the pairs of which the newer one ends the older. Most of what people say of a change is no listed attribute or in no plain
shape: those stand beside each other, with their dates."""


def test_every_language_has_a_table_of_pairs() -> None:
    assert set(CODES) <= PAIRS.keys()


@pytest.mark.parametrize(("language", "least"), LEAST_READ.items())
def test_a_share_of_what_ends_is_read(language: str, least: float) -> None:
    tables = [table for name, table in PAIRS.items() if name.partition("_")[0] == language]
    ended = [pair for table in tables for kind in ("supersedes", UNREAD) for pair in table.get(kind, ())]
    read = [related(old, new, language) is Relation.SUPERSEDES for old, new in ended]
    assert sum(read) >= least * len(read)


def related(old: str, new: str, language: str) -> Relation:
    found = {
        relation(claim_of(newer), claim_of(older))
        for newer in read_slots(new, language=language)
        for older in read_slots(old, language=language)
    }
    return next(each for each in STRONGEST_FIRST if each in found or each is Relation.NOTHING)


@pytest.mark.parametrize("name", PAIRS)
def test_what_ends_nothing_is_never_read_as_an_end(name: str) -> None:
    code = name.partition("_")[0]
    language = code if code in CODES else ENGLISH
    standing = [(old, new) for kind, pairs in PAIRS[name].items() if kind not in ("supersedes", UNREAD) for old, new in pairs]
    assert [pair for pair in standing if related(*pair, language) in {Relation.SUPERSEDES, Relation.DOUBTFUL}] == []
