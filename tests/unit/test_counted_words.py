"""How many of the asked words stand in a text: counted without their places, and the same as by them."""

from hypothesis import given
from hypothesis import strategies as st

from services.retriever.domain.excerpt import AskedWords, asked_words

_PIECES = (
    "Painted",
    "painting",
    "paint",
    "it's",
    "IT’S",
    "Katzen",
    "katze",
    "müde",
    "寿司",
    "我喜欢",
    "42",
    "e-mail",
    ".",
    "?",
    "\n",
    "İ",
    "ẞ",
)
_TEXTS = st.lists(st.sampled_from(_PIECES) | st.text(max_size=4), max_size=8).map(" ".join)


@given(question=_TEXTS, text=_TEXTS, language=st.sampled_from(["en", "de", "fr"]))
def test_they_are_as_many_as_have_a_place(question: str, text: str, language: str) -> None:
    asked = asked_words(question, language)
    assert asked.count(text) == len(asked.places(text))


def test_each_form_of_a_word_is_the_same_word() -> None:
    asked = AskedWords(frozenset({"paint", "lake"}), "en")
    assert asked.count("Paint, painted, PAINTING: no river.") == 1
    assert asked.count("We painted at the lakes.") == 2
