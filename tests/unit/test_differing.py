"""What became of a memory between two moments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.domain.differing import MemoryThen, change_of, changes_between
from shared.contracts.answers import ChangeOfMemory
from shared.contracts.parts import Standing

ACTIVE = MemoryThen(Standing.ACTIVE, pinned=False, confirmed=False, repeats=0)
YES_OR_NO = st.booleans()
THEN = st.builds(MemoryThen, st.sampled_from(Standing), pinned=YES_OR_NO, confirmed=YES_OR_NO, repeats=st.integers(0, 3))


@pytest.mark.parametrize(
    ("after", "change"),
    [
        (ACTIVE, None),
        (ACTIVE._replace(status=Standing.SUPERSEDED, pinned=True), ChangeOfMemory.SUPERSEDED),
        (ACTIVE._replace(status=Standing.RETIRED), ChangeOfMemory.RETIRED),
        (ACTIVE._replace(pinned=True, repeats=1), ChangeOfMemory.PINNED),
        (ACTIVE._replace(confirmed=True), ChangeOfMemory.CONFIRMED),
        (ACTIVE._replace(repeats=2), ChangeOfMemory.REPEATED),
    ],
)
def test_the_weightiest_change_is_told(after: MemoryThen, change: ChangeOfMemory | None) -> None:
    assert change_of(ACTIVE, after) is change


def test_what_holds_again_is_restored() -> None:
    assert change_of(ACTIVE._replace(status=Standing.RETIRED), ACTIVE) is ChangeOfMemory.RESTORED


@given(st.dictionaries(st.sampled_from("abcdef"), THEN), st.dictionaries(st.sampled_from("abcdef"), THEN))
def test_between_a_moment_and_itself_nothing_changes_and_what_is_new_was_learned(
    before: dict[str, MemoryThen], after: dict[str, MemoryThen]
) -> None:
    assert changes_between(after, after) == {}
    learned = {memory for memory, change in changes_between(before, after).items() if change is ChangeOfMemory.LEARNED}
    assert learned == after.keys() - before.keys()
