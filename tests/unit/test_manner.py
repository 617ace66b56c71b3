"""How something is said: of oneself, to somebody, with names and numbers, at some length."""

import pytest

from services.retriever.domain.manner import Manner, language_asked, manner_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("well, I've been there", "en"),
        ("my favourite, actually", "en"),
        ("Das ist mein Hund.", "de"),
        ("j'habite à Lyon", "fr"),
        ("me gusta el té", "es"),
        ("il mio cane", "it"),
        ("eu moro em Lisboa", "pt"),
        ("我有一只猫", "en"),
        ("私は猫が好き", "en"),
    ],
)
def test_who_speaks_of_themselves_is_told_in_their_language(text: str, language: str) -> None:
    assert manner_of(text, language).of_self == 1
    assert manner_of(text, language).to_other == 0


@pytest.mark.parametrize(
    ("text", "language"),
    [("What about you?", "en"), ("Und du?", "de"), ("et toi ?", "fr"), ("¿y tú?", "es"), ("你呢？", "en")],
)
def test_who_is_spoken_to_is_told_in_their_language(text: str, language: str) -> None:
    assert manner_of(text, language).to_other == 1
    assert manner_of(text, language).of_self == 0


def test_a_word_of_another_language_or_inside_another_word_says_nothing() -> None:
    assert manner_of("the omen, in his mine shaft", "de").of_self == 0
    assert manner_of("Mia and Yours Truly", "it").to_other == 0


def test_a_fact_speaks_of_its_person() -> None:
    assert manner_of("Anna lives in Leeds.", "en").of_self == 0
    assert manner_of("Anna lives in Leeds.", "en", is_fact=True).of_self == 1


def test_names_are_words_with_capitals_but_the_first_and_but_i() -> None:
    assert manner_of("Yesterday I met Ben and UCLA people", "en").names == pytest.approx(2 / 5)
    assert manner_of("Gestern war der Hund im Garten", "de").names == 0
    assert manner_of(" ".join(["x", *["Ben"] * 9]), "en").names == 1


def test_numbers_and_length() -> None:
    assert manner_of("at 9", "en").numbers == 1
    assert manner_of("at nine", "en").numbers == 0
    assert manner_of("我" * 40, "en").length == manner_of("a" * 120, "en").length == pytest.approx(0.5)
    assert manner_of("a" * 10_000, "en").length == 1
    assert manner_of("", "en") == Manner(0, 0, 0, 0, 0)


def test_the_language_is_that_of_the_question() -> None:
    assert [language_asked(text) for text in ("Where does Anna live?", "Wo wohnt Anna denn jetzt?", "她住在哪里？")] == [
        "en",
        "de",
        "en",
    ]
