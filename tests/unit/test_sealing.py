"""Numbers that tell nothing, but to whoever has the keys."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.errors import Malformed
from shared.domain.digests import Digester
from shared.domain.sealing import Seal, is_sealed

DIGESTER = Digester(b"k" * 32)
SEAL = Seal("sequence", "shop.anna", DIGESTER)
NUMBERS = st.integers(0, 2**52 - 1)


@given(NUMBERS)
def test_a_sealed_number_is_opened_by_its_own_seal_and_fits_every_parser_of_json(number: int) -> None:
    sealed = SEAL.sealed(number)
    assert is_sealed(sealed)
    assert not is_sealed(number)
    assert sealed < 2**53
    assert SEAL.opened(sealed) == number


@given(NUMBERS, NUMBERS)
def test_every_number_has_another(one: int, other: int) -> None:
    assert (SEAL.sealed(one) == SEAL.sealed(other)) == (one == other)


@pytest.mark.parametrize("other", [Seal("position", "shop.anna", DIGESTER), Seal("sequence", "shop.ben", DIGESTER)])
def test_a_number_of_another_person_or_kind_opens_to_nothing_near(other: Seal) -> None:
    opened = [other.opened(SEAL.sealed(number)) for number in range(1_000)]
    assert min(opened) > 10_000  # of 2**52


def test_numbers_that_follow_each_other_are_sealed_far_apart() -> None:
    sealed = [SEAL.sealed(number) for number in range(1_000)]
    assert min(abs(later - earlier) for earlier, later in itertools.pairwise(sealed)) > 1_000
    assert sorted(sealed) != sealed


@pytest.mark.parametrize("number", [-1, 0, 5, 2**52 - 1, 2**53, 2**64])
def test_what_no_seal_has_made_is_refused(number: int) -> None:
    with pytest.raises(Malformed, match="this sequence was not given to this bot"):
        SEAL.opened(number)
