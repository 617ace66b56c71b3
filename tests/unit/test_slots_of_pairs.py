import tomllib
from pathlib import Path

import pytest

from shared.language.statements.reading import read_slots
from shared.language.statements.slots import Relation, claim_of, relation
from shared.language.tables import CODES

TABLES = Path(__file__).parent.parent / "support" / "statements"
STRONGEST_FIRST = (Relation.SUPERSEDES, Relation.DOUBTFUL, Relation.BESIDE, Relation.NOTHING)
RELATIONS = {each.name.lower(): each for each in Relation}
UNREAD = "unread"  # pairs of which a reader would see that the older has ended, and the rules do not yet
PAIRS = {table.stem: tomllib.loads(table.read_text(encoding="utf-8")) for table in sorted(TABLES.glob("*.toml"))}


def test_every_language_has_a_table_of_pairs() -> None:
    assert set(CODES) <= PAIRS.keys()


def test_of_what_ends_nine_in_ten_are_read() -> None:
    pairs = [pair for table in PAIRS.values() for pair in (*table.get("supersedes", ()), *table.get(UNREAD, ()))]
    read = [related(old, new) is Relation.SUPERSEDES for old, new in pairs]
    assert len(read) >= 120
    assert sum(read) >= 0.9 * len(read)


def related(old: str, new: str) -> Relation:
    found = {relation(claim_of(newer), claim_of(older)) for newer in read_slots(new) for older in read_slots(old)}
    return next(each for each in STRONGEST_FIRST if each in found or each is Relation.NOTHING)


def is_as_expected(kind: str, found: Relation) -> bool:
    if RELATIONS[kind] is Relation.NOTHING:
        return found in {Relation.NOTHING, Relation.BESIDE}  # either way nothing ends
    return found is RELATIONS[kind]


@pytest.mark.parametrize("table", PAIRS.values(), ids=PAIRS)
def test_a_newer_statement_stands_to_an_older_one_as_a_reader_would_say(table: dict[str, list[list[str]]]) -> None:
    told = [(old, new, kind) for kind, pairs in table.items() if kind != UNREAD for old, new in pairs]
    assert [(*pair, found) for pair in told if not is_as_expected(pair[2], found := related(*pair[:2]))] == []
