"""Whom a sentence names in passing."""

import pytest

from shared.language.statements.reading import read_slots


def _relatives(sentence: str) -> list[str]:
    known = {"partner", "boss", "brother", "sister", "friend", "child", "mother", "landlord", "dog"}
    return [f"{slot.attribute} {slot.value}" for slot in read_slots(sentence) if slot.attribute in known and not slot.negated]


@pytest.mark.parametrize(
    ("sentence", "who"),
    [
        ("We moved to Porto with my husband Rui", ["partner rui"]),
        ("I moved to Porto with my husband, Rui, last week", ["partner rui"]),
        ("me and my wife Carmen live in York", ["partner carmen"]),
        ("had dinner with my wife Carmen", ["partner carmen"]),
        ("ran into my boss Ruth at the fair", ["boss ruth"]),
        ("my brother Tom's flat is damp", ["brother tom"]),
        ("I'm crashing at my sister Nadia's place", ["sister nadia"]),
        ("I showed my landlord Mr Okafor the mould", ["landlord mr okafor"]),
        ("picked up our son Finn from nursery", ["child finn"]),
        ("took my dog Pixel to the vet and then my mum Karen to the station", ["dog pixel", "mother karen"]),
        ("i argue a lot with my boyfriend kofi", []),  # in lower case `kofi` may as well be `nowadays`
        ("i live in hull with my boyfriend kofi", ["partner kofi"]),
        ("Wir wohnen mit meiner Schwester Jule in Kiel", ["sister jule"]),
        ("vivo en Vigo con mi novio Iago", ["partner iago"]),
        ("j'habite à Lille avec mon frère Théo", ["brother théo"]),
        ("Je dîne avec ma sœur Inès", ["sister inès"]),
    ],
)
def test_a_relative_with_a_name_is_known_by_it_wherever_they_stand(sentence: str, who: list[str]) -> None:
    assert _relatives(sentence) == who


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


def test_she_is_the_one_who_was_named_in_passing() -> None:
    told = {
        (slot.subject, slot.attribute, slot.value) for slot in read_slots("I live in Leeds with my wife Carmen. She is a vet.")
    }
    assert ("carmen", "job", "vet") in told


def test_whoever_is_named_in_passing_stays_when_the_rest_ends() -> None:
    home, partner, *_ = read_slots("I live in Leeds with my wife Carmen")
    assert (home.is_implied, partner.is_implied) == (False, False)
    assert not home.is_whole


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i live in hull with my wife carmen and our daughter lia", ["partner carmen", "child lia"]),
        ("We live in Hull with our son Finn and our daughter Lia", ["child finn", "child lia"]),
        ("i live in hull with my mum and dad", []),
    ],
)
def test_several_may_be_named(text: str, expected: list[str]) -> None:
    assert _relatives(text) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Finn's teacher is called Mrs Baird", ("finn", "teacher", "mrs baird")),
        ("finns teacher is mrs baird", ("finn", "teacher", "mrs baird")),
        ("Lia is 7. Her teacher is called Mr Hope.", ("lia", "teacher", "mr hope")),
        ("Lia has a new teacher, she's called Miss Moon", ("lia", "teacher", "miss moon")),
        ("I have a new boss, she's called Ruth", ("user", "boss", "ruth")),
        ("finns teacher isnt mrs baird, its mrs laird", ("finn", "teacher", "mrs laird")),
    ],
)
def test_whose_relative_is_meant_is_kept(text: str, told: tuple[str, str, str]) -> None:
    assert told in {(slot.subject, slot.attribute, slot.value) for slot in read_slots(text)}


@pytest.mark.parametrize("text", ["tennis teacher is ill", "sales manager is Ruth", "maths teacher is mr hope"])
def test_a_word_with_an_s_is_not_always_an_owner(text: str) -> None:
    assert all(slot.subject.startswith("user") for slot in read_slots(text))
