"""What is imported goes in portions that the server takes."""

from memstream.batches import batches, batches_of_groups
from shared.contracts.commands import MAX_PAYLOAD_BYTES, ImportedTurn
from shared.contracts.ids import SessionId
from shared.contracts.parts import Role


def turn(text: str) -> ImportedTurn:
    return ImportedTurn(role=Role.USER, session_id=SessionId("s"), text=text)


def test_a_batch_has_at_most_so_many_items_in_their_order() -> None:
    turns = [turn(str(number)) for number in range(5)]
    assert list(batches(turns, most=2)) == [turns[:2], turns[2:4], turns[4:]]


def test_a_batch_of_text_with_several_bytes_a_character_fits_a_payload() -> None:
    turns = [turn("茶" * 60_000) for _ in range(12)]
    sizes = [sum(len(each.model_dump_json().encode()) for each in batch) for batch in batches(turns, most=500)]
    assert len(sizes) > 1
    assert max(sizes) < MAX_PAYLOAD_BYTES


def test_an_item_comes_with_what_it_belongs_to() -> None:
    turns = [turn(text) for text in ("a", "-b", "c", "d", "-e", "-f", "g")]
    found = batches_of_groups(turns, most=3, belongs=lambda item, _: item.text.startswith("-"))
    assert ["".join(each.text for each in batch) for batch in found] == ["a-bc", "d-e-f", "g"]
