import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.language.text.entities import find_entities
from shared.language.text.names import find_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I met Anna in Rome", [("person", "Anna"), ("location", "Rome")]),
        ("Anna lives in New York", [("other", "Anna"), ("location", "New York")]),
        ("my friend Ben is here", [("person", "Ben")]),
        ("we saw Dr. Smith and Mrs Jones", [("person", "Smith"), ("person", "Jones")]),
        ("She works at Acme Inc. as a nurse", [("organization", "Acme Inc")]),
        ("I study at the University of Oslo", [("other", "University of Oslo")]),
        ("Ben's dog is called Rex", [("other", "Ben"), ("person", "Rex")]),
        ("we flew to Paris with Åsa", [("location", "Paris"), ("person", "Åsa")]),
        ("Мы видели Анну вчера", [("other", "Анну")]),
        ("we met at the IEEE workshop, then phoned AAA", [("other", "IEEE"), ("other", "AAA")]),
        # no names
        ("we said NOOO and Sooo and YESSS and ZZZ and AAAAH", []),
        ("I am tired. You too? We went.", []),
        ("Yesterday it rained", []),
        ("On Monday I swim", []),
        ("in May and June", []),
        ("Running is fun", []),
        ("Tough day!", []),
        ("THIS IS LOUD, ANNA", []),
        ("anna and ben", []),
        ("I'm glad I'll go", []),
        ("plan B", []),
        ("", []),
    ],
)
def test_names_are_what_a_reader_takes_for_them(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(entity.type, entity.name) for entity in find_names(text)] == expected


def test_where_every_noun_has_a_capital_none_is_trusted() -> None:
    german = find_names("Ich trinke am Morgen Tee mit Milch und lese die Zeitung")
    assert german
    assert all(entity.confidence < 0.5 for entity in german)


def test_a_name_inside_an_address_or_mention_is_left_to_it() -> None:
    found = [(entity.type, entity.name) for entity in find_entities("Ask @Ben or see https://Example.org/Anna for Anna")]
    assert found == [("person", "@Ben"), ("url", "https://Example.org/Anna"), ("other", "Anna")]


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["Anna", "of", "the", "I", "New", "in", ".", "Dr.", "'s", "Ünal"])).map(" ".join)
)
def test_a_span_holds_its_name(text: str) -> None:
    for entity in find_names(text):
        assert text[entity.start : entity.end] == entity.name
        assert len(entity.name) >= 2
