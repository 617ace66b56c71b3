"""Those who wait take turns; the messages of one keep their order; nothing is lost, doubled or passed over."""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from services.ingest.fair_queue import FairQueue
from shared.contracts.commands import COMMANDS


@given(st.lists(st.sampled_from("abcd") | st.integers(1, 4)))
def test_each_owners_items_come_out_once_in_order_and_the_first_that_waits_is_known(steps: list[str | int]) -> None:
    queue = FairQueue[tuple[str, int]](most=100, most_bytes=100)
    waiting: dict[int, str] = {}
    taken: list[tuple[str, int]] = []
    for sequence, step in enumerate(steps):
        if isinstance(step, str):
            queue.add(step, sequence, (step, sequence), size=1)
            waiting[sequence] = step
        else:
            group = queue.take(step, most_bytes=100)
            assert len(group) == min(step, len(waiting))
            for owner, number in group:
                assert waiting.pop(number) == owner
            taken += group
        assert (queue.first, len(queue)) == (min(waiting, default=None), len(waiting))
    for owner in "abcd":
        of_owner = [number for each, number in taken if each == owner]
        assert of_owner == sorted(of_owner)


@given(st.lists(st.sampled_from("aaaaaaab"), min_size=1, max_size=60), st.integers(1, 8))
def test_nobody_gets_a_second_turn_before_all_others_had_one(owners: list[str], most: int) -> None:
    queue = FairQueue[str](most=100, most_bytes=100)
    for sequence, owner in enumerate(owners):
        queue.add(owner, sequence, owner, size=1)
    left = Counter(owners)
    order = [owner for _ in owners for owner in queue.take(most, most_bytes=100)]
    for before, after in pairwise(order):
        left[before] -= 1
        others = sum(count for owner, count in left.items() if owner != before)
        assert before != after or not others


def test_what_can_wait_is_taken_when_nothing_else_waits_and_alone() -> None:
    queue = FairQueue[str]()
    for sequence, name in enumerate(["a1", "b1", "a2", "c1"]):
        queue.add(name[0], sequence, name, size=1, can_wait=name[0] != "c")
    assert not queue.is_patient
    assert queue.take(9, most_bytes=9) == ["c1"]
    assert queue.is_patient
    assert queue.take(9, most_bytes=9) == ["a1", "b1", "a2"]


def test_whoever_says_something_behind_their_own_import_does_not_wait_for_those_of_others() -> None:
    queue = FairQueue[str]()
    for sequence, name in enumerate(["a1", "b1", "b2", "b-live", "b3"]):
        queue.add(name[0], sequence, name, size=1, can_wait="live" not in name)
    assert queue.take(9, most_bytes=9) == ["b1", "b2", "b-live"]
    assert queue.take(9, most_bytes=9) == ["a1", "b3"]


def test_what_cannot_wait_has_one_owner_nobody_or_several() -> None:
    queue = FairQueue[str]()
    assert queue.only_owner is None
    queue.add("a", 1, "a1", size=1)
    queue.add("a", 2, "a2", size=1)
    queue.add("b", 3, "b1", size=1, can_wait=True)
    assert queue.only_owner == "a"
    queue.add("b", 4, "b2", size=1)
    assert queue.only_owner is None


def test_there_is_no_room_beyond_a_number_of_items_and_of_bytes() -> None:
    queue = FairQueue[str](most=2, most_bytes=10)
    queue.add("a", 1, "one", size=9)
    assert queue.has_room
    queue.add("a", 2, "two", size=1)
    assert not queue.has_room
    queue.take(1, most_bytes=1)
    assert queue.has_room
    queue.add("b", 3, "three", size=9)
    assert not queue.has_room


def test_a_heavy_item_is_not_taken_together_with_many_others() -> None:
    queue = FairQueue[str]()
    for sequence, (owner, size) in enumerate([("a", 5), ("b", 90), ("c", 5), ("b", 90)]):
        queue.add(owner, sequence, owner, size=size)
    assert [queue.take(9, most_bytes=50) for _ in range(3)] == [["a", "b"], ["c", "b"], []]


def test_light_items_are_taken_together_where_few_are() -> None:
    queue = FairQueue[str]()
    for sequence, name in enumerate(["a1", "b1", "c1", "d1", "e1"]):
        queue.add(name, sequence, name, size=80, weight=1.0 if name == "d1" else 1 / 8)
    assert queue.take(9, most_bytes=999, most_weight=1) == ["a1", "b1", "c1", "d1"]
    assert queue.take(9, most_bytes=999, most_weight=1) == ["e1"]
    for sequence, name in enumerate(["a2", "b2", "c2"], start=5):
        queue.add(name, sequence, name, size=80, weight=1 / 8)
    assert queue.take(9, most_bytes=11) == ["a2", "b2"]
    assert queue.take(1, most_bytes=11) == ["c2"]


def test_imports_can_wait_and_so_does_what_jobs_send() -> None:
    of_jobs = {"retire_memories", "save_rollup", "erase_rolled_up", "save_reflection", "attach_entities"}
    assert {what for what, command in COMMANDS.items() if command.can_wait} == {"import_turns", "import_memories"} | of_jobs
