"""Whom a sentence names."""

import pytest

from shared.language.statements.reading import read_slots


def _relatives(sentence: str) -> list[str]:
    known = {"partner", "boss", "brother", "sister", "friend", "child", "mother", "landlord", "pet"}
    return [f"{slot.attribute} {slot.value}" for slot in read_slots(sentence) if slot.attribute in known and not slot.negated]


@pytest.mark.parametrize(
    ("sentence", "who"),
    [
        ("My husband is called Rui", ["partner rui"]),
        ("My sister Nadia lives in York", ["sister nadia"]),
        ("Finn is our son", ["child finn"]),
        ("Meine Schwester heißt Jule", ["sister jule"]),
        ("Mi novio se llama Iago", ["partner iago"]),
        ("Mon frère s'appelle Théo", ["brother théo"]),
    ],
)
def test_a_relative_is_known_by_the_name_that_a_whole_clause_says(sentence: str, who: list[str]) -> None:
    assert _relatives(sentence) == who


@pytest.mark.parametrize(
    "sentence",
    [
        "We moved to Porto with my husband Rui",
        "had dinner with my wife Carmen",
        "my brother Tom's flat is damp",
        "I showed my landlord Mr Okafor the mould",
        "Wir wohnen mit meiner Schwester Jule in Kiel",
        "Je dîne avec ma sœur Inès",
    ],
)
def test_whom_a_sentence_names_in_passing_is_no_slot(sentence: str) -> None:
    assert _relatives(sentence) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "I play with my wife tennis",
        "I live in Hull with my boyfriend rent free",
        "i live with my girlfriend now",
        "I met my boss Tuesday",
        "I speak with my wife German",
        "I had lunch with my old boss Ruth",
        "I had a row with my ex-husband Rui",
        "I had a row with my first wife Carmen",
        "I told my boss, Ruth and Tom",
        "I love my mum, Dad and Tom",
        "If I lived with my girlfriend Nora I would cook more",
        "Ich spiele mit meiner Frau Tennis",
        "Ich habe mit meiner Frau Streit",
        "Do you know my sister Nadia?",
    ],
)
def test_what_stands_behind_a_relative_is_not_always_a_name(sentence: str) -> None:
    assert _relatives(sentence) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Finn's teacher is called Mrs Baird", ("finn", "teacher", "mrs baird")),
    ],
)
def test_whose_relative_is_meant_is_kept(text: str, told: tuple[str, str, str]) -> None:
    assert told in {(slot.subject, slot.attribute, slot.value) for slot in read_slots(text)}


@pytest.mark.parametrize("text", ["tennis teacher is ill", "sales manager is Ruth", "maths teacher is mr hope"])
def test_a_word_with_an_s_is_not_always_an_owner(text: str) -> None:
    assert all(slot.subject.startswith("user") for slot in read_slots(text))
