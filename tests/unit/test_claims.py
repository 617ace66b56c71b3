"""What is kept of a fact's slots: keyed hashes, and keys by which whatever contradicts it is found."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.ingest.domain.claims import NO_CLAIMS, claims_of, keys_of, keys_sought, packed, unpacked
from services.ingest.domain.contradicting import Assertion, contradiction
from shared.contracts.ids import MemoryId
from shared.contracts.parts import FactSlot
from shared.language.statements.reading import read_slots
from tests.support.examples import examples
from tests.support.scopes import KEYS, at

WORDS = st.sampled_from(("leeds", "york", "new york", "the old golf", "golf", "vw golf", "15:00", "tuesday 15:00"))
SLOTS = st.builds(
    FactSlot,
    subject=st.sampled_from(("user", "nadia")),
    attribute=st.sampled_from(("home", "car", "language", "likes", "dentist appointment")),
    value=st.none() | WORDS,
    negated=st.booleans(),
    is_doubtful=st.booleans(),
    is_future=st.booleans(),
    replaces=st.none() | WORDS,
)


def assertion(slot: FactSlot) -> Assertion:
    return Assertion(MemoryId("fact"), claims_of((slot,), KEYS.digester, is_whole=False), at(0), 1.0)


@settings(max_examples=examples(1_500))
@given(SLOTS, SLOTS)
def test_what_contradicts_a_claim_is_found_by_its_keys_whichever_is_told_last(one: FactSlot, other: FactSlot) -> None:
    newer, older = assertion(one), assertion(other)
    found = contradiction(newer, older)
    if found.ended:
        assert keys_sought(newer.claims) & keys_of(packed(older.claims))
        assert keys_sought(older.claims) & keys_of(packed(newer.claims))


@settings(max_examples=examples(300))
@given(SLOTS, SLOTS)
def test_known_claims_contradict_as_they_did_when_they_were_told(one: FactSlot, other: FactSlot) -> None:
    newer, older = assertion(one), assertion(other)
    known = newer._replace(claims=unpacked(packed(newer.claims)))
    assert contradiction(known, older._replace(claims=unpacked(packed(older.claims)))) == contradiction(newer, older)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("interview", "monday"), ("plan", "rome"), ("dentist appointment", "with dr okafor")],
)
def test_a_slot_of_no_listed_attribute_is_no_claim(attribute: str, value: str) -> None:
    slot = FactSlot(subject="user", attribute=attribute, value=value)
    assert not any(claims_of((slot,), KEYS.digester, is_whole=True).stated)


@settings(max_examples=examples(100))
@given(st.lists(SLOTS, min_size=1, max_size=3).map(tuple), st.booleans())
def test_packed_claims_are_what_they_were_and_hold_no_word(slots: tuple[FactSlot, ...], is_whole: bool) -> None:  # noqa: FBT001 - hypothesis names it
    text = packed(claims_of(slots, KEYS.digester, is_whole=is_whole))
    assert packed(unpacked(text)) == text
    assert not [word for word in ("user", "nadia", "home", "leeds", "york", "golf", "tuesday") if word in text]


def test_a_fact_that_states_nothing_claims_nothing() -> None:
    assert packed(NO_CLAIMS) == ""
    assert unpacked("") == NO_CLAIMS
    assert keys_of("") == frozenset()


@pytest.mark.parametrize(
    ("text", "may_end"),
    [("I live in Leeds and work at Bosch", True), ("Maybe I live in Leeds", False), ("I met Nora in Leeds", False)],
)
def test_only_a_fact_of_nothing_but_claims_may_end_as_a_whole(text: str, may_end: bool) -> None:  # noqa: FBT001 - pytest names it
    slots = tuple(read.slot for read in read_slots(text))
    assert claims_of(slots, KEYS.digester, is_whole=True).may_end is may_end


def test_only_what_states_the_same_and_nothing_else_has_the_same_identity() -> None:
    texts = ("I live in York", "The user lives in York.", "I don't live in York", "I live in Leeds", "Maybe I live in York")
    claims = [claims_of(tuple(read.slot for read in read_slots(text)), KEYS.digester, is_whole=True) for text in texts]
    same = {(one, other) for one, other in product(range(5), repeat=2) if claims[one].identity == claims[other].identity}
    assert same == {*((each, each) for each in range(5)), (0, 1), (1, 0)}
