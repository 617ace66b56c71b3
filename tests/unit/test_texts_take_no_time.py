"""Whatever cuts or reads a text takes time in proportion to it: no message can keep a service busy."""

import time
from collections.abc import Callable

import pytest

from services.retriever.domain.excerpt import asked_words, excerpt
from services.retriever.domain.full_text import terms
from shared.text.cleaning import clean
from shared.text.entities import find_entities
from shared.text.sentences import sentences
from shared.text.stating import content_words
from shared.text.wording import wording
from shared.text.words import words_of

READERS: list[Callable[[str], object]] = [
    clean,
    wording,
    words_of,
    sentences,
    content_words,
    find_entities,
    terms,
    lambda text: excerpt(text, asked_words("What is x?"), most=100),
]
LENGTH = 30_000
LONGEST_S = 2.0
"""Of a quadratic expression 30,000 characters take seven seconds and more; of a linear one some hundredths."""


@pytest.mark.parametrize(
    "unit", ["…", "!", ".", ".\n", "a.", "1.", "1,", "@", "a'", "(", "[1", "&", "a.b-", "#", "😀", "x@x.", ":;"]
)
@pytest.mark.parametrize("end", ["x", "1"])
def test_the_same_again_and_again_is_read_at_once(unit: str, end: str) -> None:
    text = unit * (LENGTH // len(unit)) + end
    for read in READERS:
        began = time.process_time()
        read(text)
        assert time.process_time() - began < LONGEST_S
