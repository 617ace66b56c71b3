"""The sentences to learn from: made ones, those of the tests, and talk that asks nothing."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tests.support
from shared.language.commands.language import Language
from shared.language.commands.learned import QUESTION
from shared.language.commands.line import line, words_in_question
from shared.language.commands.phrases import Choice, NamedParts, Phrase, PhraseWord, parse
from shared.language.commands.reading import split_message
from tests.acceptance import test_not_this as promised
from tests.unit import test_chat_commands as commands
from tests.unit import test_doubtful_wishes as doubtful
from tests.unit import test_remarks_as_typed as typed
from tests.unit import test_remarks_in_plain_words as plain
from tests.unit import test_remarks_of_strangers as strangers
from tests.unit import test_wishes_not_to_be_kept as certain

_MADE = Path(__file__).with_name("sentences.toml")
_TOLD = Path(tests.support.__file__).parent
_LEFT_OUT = 0.6
"""How often what is optional is left out."""
_ASKED = 0.8
"""How often what begins like a question has its mark."""
_ASKS = frozenset(
    (
        *("can", "could", "would", "will", "may", "might", "do", "did", "does"),
        *("is", "are", "was", "were", "why", "how", "when", "where", "what", "who"),
    )
)
_SHORTEST = 12
"""Characters of a sentence of talk."""
_WISHES = (doubtful.WISHES, typed.REMARKS, typed.OF_WHAT_WENT_BEFORE, strangers.REMARKS, certain.WISHES)
_LOOK_ALIKES = (
    "\n".join(commands.LOOK_ALIKES),
    doubtful.LOOK_ALIKES,
    typed.LOOK_ALIKES,
    strangers.LOOK_ALIKES,
    certain.LOOK_ALIKES,
)
_QUOTED = re.compile(rf'"([^"]{{{_SHORTEST},}})"')
_SAID = re.compile(r"^(?:user|bot): (.+)$", re.MULTILINE)


class Example(NamedTuple):
    """A message, in the words of its sentences; whether it asks not to be kept; and how much it counts."""

    said: list[list[str]]
    is_wish: bool
    weight: float


def examples(known: Language) -> Iterator[Example]:
    """All examples of a language, in the same order each time."""
    made = tomllib.loads(_MADE.read_text(encoding="utf-8"))
    yield from (Example([words], is_wish=True, weight=0.5) for words in _made(made, "wishes", known))
    yield from (Example([words], is_wish=False, weight=1.0) for words in _made(made, "look_alikes", known))
    told = (
        (1.5, True, _WISHES),
        (3.0, True, [plain.REMARKS]),
        (3.0, False, _LOOK_ALIKES),
        (3.0, True, ["\n".join((*promised.PRIVATE, *promised.OTHER_WORDS))]),
        (6.0, False, [plain.LOOK_ALIKES, "\n".join(promised.LOOK_ALIKES)]),
        (1.0, False, _talk()),
    )
    for weight, is_wish, texts in told:
        yield from (Example(words_of(text, known), is_wish, weight) for block in texts for text in block.split("\n") if text)


def words_of(text: str, known: Language) -> list[list[str]]:
    """The words of each sentence of a message."""
    return [words_in_question(line(said, known)) for said in split_message(text, known)]


def _talk() -> Iterator[str]:
    for path in sorted([*_TOLD.glob("annotated/en*.toml"), *_TOLD.glob("statements/en*.toml")]):
        text = path.read_text(encoding="utf-8")
        yield from _SAID.findall(text)
        yield from _QUOTED.findall(text)


def _made(made: dict[str, Any], kind: str, known: Language) -> Iterator[list[str]]:
    dice, parts = random.Random(kind), NamedParts(made["parts"])
    for written in made[kind]:
        phrase = parse(written, parts)
        for _ in range(made["each"]):
            words = [word for said in _said(phrase, dice) for word in known.meant.get(said, said).split()]
            is_question = words[0] in _ASKS and dice.random() < _ASKED
            yield [*words, QUESTION] if is_question else words


def _said(phrase: Phrase, dice: random.Random) -> Iterator[str]:
    """The words of one way of saying a phrase."""
    for item in phrase:
        match item:
            case PhraseWord(form):
                yield form
            case Choice(options, is_optional):
                if not (is_optional and dice.random() < _LEFT_OUT):
                    yield from _said(dice.choice(options), dice)
            case _:
                raise ValueError("nothing is captured here")
