import pytest

from shared.language.statements.reading import read_slots

CORRECTIONS = [
    ("I live in Leeds.", "No wait, York.", "home", "york", "leeds"),
    ("My appointment is on Wednesday", "I mixed that up, it's Thursday", "appointment", "thursday", "wednesday"),
    ("My name is Jenny", "It's Jenna actually, not Jenny.", "name", "jenna", "jenny"),
    ("I live in Leeds", "not Leeds, York", "home", "york", "leeds"),
    ("I live in Leeds", "I meant York", "home", "york", "leeds"),
    ("My rent is 950", "sorry, 970", "rent", "970", "950"),
    ("my flight is on tuesday", "no, wednesday", "flight", "wednesday", "tuesday"),
    ("My meeting is on Tuesday", "sorry wednesday not tuesday", "meeting", "wednesday", "tuesday"),
    ("I'm 34", "oops I meant 35", "age", "35", "34"),
]


@pytest.mark.parametrize(("before", "fragment", "attribute", "value", "replaces"), CORRECTIONS)
def test_a_fragment_puts_right_what_was_said_before(
    before: str, fragment: str, attribute: str, value: str, replaces: str
) -> None:
    found = read_slots(f"{before.rstrip('.')}. {fragment}")
    assert [(slot.attribute, slot.value, slot.replaces) for slot in found] == [(attribute, value, replaces)]


@pytest.mark.parametrize("fragment", ["Yes", "ok thanks", "no way!", "Sorry, I forgot", "actually, it's raining", "lol"])
def test_a_fragment_that_corrects_nothing_states_nothing(fragment: str) -> None:
    assert [slot.value for slot in read_slots(f"I live in Leeds. {fragment}")] == ["leeds"]


def test_a_correction_is_of_whom_the_sentence_before_was() -> None:
    (slot,) = read_slots("my sister lives in Leeds. sorry, in York")
    assert (slot.subject, slot.value) == ("user's sister", "york")
