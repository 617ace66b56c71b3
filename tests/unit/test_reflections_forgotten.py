"""A reflection goes with any source, says which are left, and leaves no tombstone on what stays."""

from __future__ import annotations

from shared.contracts.events import FactRemembered
from shared.contracts.ids import MemoryId, MessageId
from shared.contracts.parts import Kind, Origin
from shared.contracts.privacy import Forget, MemoryForgotten
from shared.contracts.reflecting import LostSummary, ReflectionRecorded, SaveReflection
from tests.support.rules import Given, given
from tests.support.scopes import T0

SAILS, MOVED = MemoryId(f"fact_{1:024x}"), MemoryId(f"fact_{2:024x}")
REFLECTION = MemoryId(f"ref_{1:024x}")
ORIGIN = Origin(extractor="extractive/1", run_id="r")
TEXTS = {SAILS: "Anna sails with Quixeldra.", MOVED: "Anna moved to Oslo and plays the violin."}


def known(*, reflected: bool = True) -> Given:
    facts = (FactRemembered(memory_id=each, text=text, manually_saved=True) for each, text in TEXTS.items())
    text = "\n".join(TEXTS.values())
    said = ReflectionRecorded(memory_id=REFLECTION, text=text, source_ids=(SAILS, MOVED), made_by=ORIGIN)
    return given(*facts, *([said] if reflected else []))


def forgotten(past: Given, forget: Forget) -> MemoryForgotten:
    [event] = past.when(forget).events()
    assert isinstance(event.data, MemoryForgotten)
    return event.data


def test_it_goes_with_one_source_and_says_which_is_left() -> None:
    gone = forgotten(known(), Forget(memory_ids=(SAILS,)))
    assert set(gone.memory_ids) == {SAILS, REFLECTION}
    assert gone.lost == (LostSummary(memory_id=REFLECTION, kind=Kind.REFLECTION, occurred_at=T0, source_ids=(MOVED,)),)


def test_words_name_its_sources_and_it_goes_with_them() -> None:
    gone = forgotten(known(), Forget(query="Quixeldra"))
    assert (set(gone.memory_ids), gone.asked) == ({SAILS, REFLECTION}, 1)


def test_it_leaves_no_tombstone_on_what_stays() -> None:
    forget = Forget(query="Quixeldra")
    assert forgotten(known(), forget).tombstones == forgotten(known(reflected=False), forget).tombstones


def test_one_that_its_person_forgets_takes_nothing_along_and_is_not_written_anew() -> None:
    gone = forgotten(known(), Forget(memory_ids=(REFLECTION,)))
    assert (gone.memory_ids, gone.tombstones) == ((REFLECTION,), ())
    assert [each.source_ids for each in gone.lost] == [()]


def test_it_is_recorded_with_its_sources() -> None:
    command = SaveReflection(
        message_id=MessageId("weekly/1"), text="Anna moved to Oslo.", source_ids=(MOVED,), made_by=ORIGIN, occurred_at=T0
    )
    known(reflected=False).when(command).then(
        ReflectionRecorded(memory_id=REFLECTION, text="Anna moved to Oslo.", source_ids=(MOVED,), made_by=ORIGIN)
    )
