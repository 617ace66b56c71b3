"""Synthetic text with the statistics of conversation: words by Zipf's law, names, dates, varying lengths. Seeded."""

from __future__ import annotations

import random
from functools import cache
from itertools import accumulate
from pathlib import Path

import shared.language.text

NAMES = (
    *("Ada", "Ben", "Carla", "Dmitri", "Elif", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kofi", "Lena", "Maya", "Noor"),
    *("Oscar", "Priya", "Quentin", "Rosa", "Samir", "Tove", "Uma", "Viktor", "Wanda", "Xenia", "Yusuf", "Zoe"),
)
_VOCABULARY = Path(shared.language.text.__file__).with_name("vocab.txt")
_MONTHS = ("January", "March", "May", "June", "August", "October", "December")
_MOST_WORDS = 60
_ZIPF_OFFSET = 2.7
"""Source: Mandelbrot 1953; the frequency of the word of rank r is about 1 / (r + 2.7)."""

# Each has a name or many words: a question of neither may be small talk, which is answered with nothing.
_QUESTIONS = (
    "What did {name} say about the {a} and the {b}?",
    "When did {name} go to the {a} with {other}?",
    "Do you remember which {a} {name} liked for the {b}?",
    "How is the {a} {b} of {name} going?",
    "Why was {name} so {a} about {b} on {day} {month}?",
    "Tell me what we decided about {a}, {b} and {c}.",
)


@cache
def vocabulary() -> tuple[str, ...]:
    """English words, the most frequent first: the whole words of BERT's vocabulary, which is in that order."""
    lines = _VOCABULARY.read_text(encoding="utf-8").splitlines()
    return tuple(word for word in lines if word.isascii() and word.isalpha() and len(word) > 1)


@cache
def _weights() -> tuple[float, ...]:
    return tuple(accumulate(1 / (rank + _ZIPF_OFFSET) for rank in range(1, len(vocabulary()) + 1)))


class Writer:
    """Writes turns and questions. Equal seeds give equal texts."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)

    def name(self) -> str:
        """A random first name."""
        return self._random.choice(NAMES)

    def words(self, count: int) -> list[str]:
        """`count` random words, as frequent as in English text."""
        return self._random.choices(vocabulary(), cum_weights=_weights(), k=count)

    def turn(self) -> str:
        """A turn of about 18 words, seldom more than 40. Every fifth has a name, every tenth a date."""
        words = self.words(min(_MOST_WORDS, max(3, round(self._random.lognormvariate(2.75, 0.55)))))
        if self._random.random() < 0.2:  # noqa: PLR2004
            words[self._random.randrange(len(words))] = self.name()
        if self._random.random() < 0.1:  # noqa: PLR2004
            words.append(f"on {self._random.randint(1, 28)} {self._random.choice(_MONTHS)}")
        return f"{' '.join(words).capitalize()}."

    def question(self) -> str:
        """A question of about ten words, two or three of them content words out of 29,000, so that repetitions are rare."""
        content = [self._content_word() for _ in range(3)]
        return self._random.choice(_QUESTIONS).format(
            name=self.name(),
            other=self.name(),
            a=content[0],
            b=content[1],
            c=content[2],
            day=self._random.randint(1, 28),
            month=self._random.choice(_MONTHS),
        )

    def rare_word(self) -> str:
        """A random word that occurs in no other text."""
        return "zq" + "".join(self._random.choices("abcdefghijklmnop", k=12))

    def _content_word(self) -> str:
        while (word := self.words(1)[0]) in vocabulary()[:150]:
            pass
        return word
