import hashlib

import pytest

from shared.contracts.parts import FactSlot
from shared.language.statements.slots import Relation, claim_of, ends, relation
from shared.language.statements.stems import stems


def slot(attribute: str, value: str | None, *, negated: bool = False, replaces: str | None = None) -> FactSlot:
    return FactSlot(subject="user", attribute=attribute, value=value, negated=negated, replaces=replaces)


def hashed(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()[:12]


@pytest.mark.parametrize(
    ("some", "others"),
    [("a Golf", "the golf"), ("nuts", "nut"), ("running", "runs"), ("Müller", "muller"), ("new york", "New York")],
)
def test_words_that_mean_the_same_have_one_stem(some: str, others: str) -> None:
    assert stems(some) == stems(others)


def test_another_place_of_the_same_name_has_other_stems() -> None:
    assert stems("york") != stems("new york")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (slot("home", "leeds"), slot("home", "york"), Relation.SUPERSEDES),
        (slot("home", "york"), slot("home", "new york"), Relation.SUPERSEDES),
        (slot("home", "leeds"), slot("home", "headingley in leeds"), Relation.BESIDE),
        (slot("car", "golf"), slot("car", "vw golf"), Relation.BESIDE),
        (slot("frequency of volleyball", "2 a week"), slot("hobby", "volleyball", negated=True), Relation.SUPERSEDES),
        (slot("frequency of yoga", "2 a week"), slot("hobby", "volleyball", negated=True), Relation.NOTHING),
        (slot("car", "old golf"), slot("car", "golf", negated=True), Relation.SUPERSEDES),
        (slot("rent", "1400"), slot("rent", "1400 gbp"), Relation.BESIDE),
        (slot("language", "german"), slot("language", "french"), Relation.BESIDE),
        (slot("dentist appointment", "tuesday"), slot("dentist appointment", "tuesday 15:00"), Relation.BESIDE),
        (slot("dentist appointment", "tuesday 15:00"), slot("dentist appointment", "16:00"), Relation.SUPERSEDES),
        (slot("hobby", "climbing"), slot("activity", "climbing", negated=True, replaces="climbing"), Relation.NOTHING),
        (slot("likes", "coffee machine"), slot("activity", "coffee", negated=True, replaces="coffee"), Relation.NOTHING),
    ],
)
def test_claims_are_compared_word_by_word_also_when_the_words_are_hashed(
    old: FactSlot, new: FactSlot, expected: Relation
) -> None:
    assert relation(claim_of(new), claim_of(old)) is expected
    assert relation(claim_of(new, hashed), claim_of(old, hashed)) is expected


def test_nothing_of_a_claim_can_be_read_where_its_words_are_hashed() -> None:
    claim = claim_of(slot("dentist appointment", "tuesday 15:00", replaces="monday"), hashed)
    assert not any(word in repr(claim) for word in ("user", "dentist", "tuesday", "15:00", "monday"))


def test_a_slot_does_not_end_itself() -> None:
    assert not ends(slot("home", "leeds"), slot("home", "leeds"))
