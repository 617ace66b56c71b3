"""What would be otherwise in a context or among facts, by names that both sides share."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memstream.cli.whatif_differences import of_contexts, of_facts
from shared.contracts.ids import MessageId
from shared.contracts.memories import Memory
from shared.contracts.parts import Kind

names = st.lists(st.sampled_from("abcdef"), max_size=6)
NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)


def memory(name: str, *, memory_id: str, kind: Kind = Kind.EPISODE) -> Memory:
    said_by = MessageId(name) if kind is Kind.EPISODE else None
    return Memory(
        memory_id=memory_id, kind=kind, text=f"text {name}", number=1, occurred_at=NOON, recorded_at=NOON, message_id=said_by
    )


@given(now=names, then=names)
def test_lost_and_gained_are_what_only_one_side_has_whatever_their_ids(now: list[str], then: list[str]) -> None:
    before = [memory(name, memory_id=f"ep_{place}") for place, name in enumerate(now)]
    after = [memory(name, memory_id=f"ep_9{place}") for place, name in enumerate(then)]
    found = of_contexts("anna", "turn", before, after)
    assert {each.name for each in found.lost} == {*now} - {*then}
    assert {each.name for each in found.gained} == {*then} - {*now}
    kept = [[name for name in dict.fromkeys(names) if name in {*now} & {*then}] for names in (now, then)]
    assert found.is_reordered == (kept[0] != kept[1])
    assert found.is_any == (list(dict.fromkeys(now)) != list(dict.fromkeys(then)))


def test_facts_are_compared_by_their_words() -> None:
    now = [memory(name, memory_id=f"fact_{name}", kind=Kind.FACT) for name in "abc"]
    then = [memory(name, memory_id=f"fact_9{name}", kind=Kind.FACT) for name in "bcd"]
    found = of_facts("anna", now, then)
    assert (found.lost, found.gained, found.same) == (("text a",), ("text d",), 2)
