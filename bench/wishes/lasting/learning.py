"""Makes the sentences to learn from, learns the weights of them, and writes these."""

from __future__ import annotations

import hashlib
import json
import random
import re
import tomllib
from array import array
from base64 import b85encode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from zlib import compress

import numpy as np

import shared.language.statements
import tests.support
from bench.wishes.corpus import made_of
from bench.wishes.fitting import fit, table
from shared.language.statements import wishing
from shared.language.statements.language import statement_language
from shared.language.statements.wishing import kinds_of, may_wish, tokens
from shared.language.tables import CODES, ENGLISH
from shared.language.text import weighing
from shared.language.text.sentences import message_sentences
from shared.language.text.weighing import UNIT, Weights, features_of

DATA = Path(__file__).parent
SUPPORT = Path(tests.support.__file__).parent
WEIGHTS = Path(shared.language.statements.__file__).with_name("lasting_weights.json")
_CODE = (Path(wishing.__file__), Path(weighing.__file__))
"""What the weights fit, beside the data."""
_TEMPLATES = "templates"
_EACH = 40
"""Sentences made of each template."""
_TYPED = 2
"""Sentences with slips made of each line that a person wrote."""
_LEFT_OUT = 0.5
_OF_TEMPLATE, _OF_PERSON, _OF_OTHER = 10.0, 3.0, 1.5
"""How much more a line counts that a person wrote, and one that is not to be taken for a wish."""
_OF_TALK, _OF_MADE_TALK = 2.5, 1.0
"""How much a sentence of talk counts, and one that is made."""
_L2 = 3e-6
_LEAST, _STEPS = 2, 127
"""Steps of the least weight and of the greatest."""
_PART = re.compile(r"<(\w+)>")
_CHOICE = re.compile(r"\(([^()\[\]]*)\)|\[([^()\[\]]*)\]")
_SPACED = re.compile(r"\s+(?=[.,!?:;])")
_TALK = re.compile(r"^(?:user|bot): (.+)$|\"([^\"=]{12,})\"", re.MULTILINE)
_SLIPS = 0.04
_ANY_WORDS = 200
_RUN_ON = 4_000
_JOINTS = (" and ", ", so ", " but ", ", ", " - ", ", and ", " ")
_SHORTEST_SLIP = 4
_OF_WISH = re.compile(r"answer style|answer language|nickname")


class Example(NamedTuple):
    """A sentence; True if it is a lasting wish."""

    text: str
    language: str
    person: str
    is_wish: bool
    weight: float
    is_as_written: bool = True

    @property
    def is_of_person(self) -> bool:
        """True if somebody wrote it by hand."""
        return _TEMPLATES not in self.person and "talk" not in self.person


@cache
def examples() -> tuple[Example, ...]:
    """Return all examples, in the same order each time."""
    made = [each for path in sorted(DATA.glob("*.toml")) for each in _of_language(path)]
    talk = [*_of_talk(), *_of_ordinary()]
    return (*made, *talk, *_in_talk([each for each in made if each.is_wish], talk))


def learn(examples: Sequence[Example]) -> dict[str, Weights]:
    """Return the weights of each language, which tell wishes from the rest."""
    codes = dict.fromkeys(each.language for each in examples)
    return {code: _learned([each for each in examples if each.language == code]) for code in codes}


def _learned(examples: Sequence[Example]) -> Weights:
    """Fit to the examples that have words of a wish: what has none is read as none without weights."""
    known = [(features, each) for each in examples if (features := _features(each.text, each.language))]
    weight = np.array([each.weight * (1 if each.is_wish else _OF_OTHER) for _, each in known], dtype=np.float32)
    wished = np.array([each.is_wish for _, each in known], dtype=np.float32)
    found = fit(table([features for features, _ in known]), wished, weight, l2=_L2)
    steps = np.clip(np.round(found[:-1] * UNIT), -_STEPS, _STEPS).astype(np.int8)
    steps[abs(steps) < _LEAST] = 0
    return Weights(round(float(found[-1]) * UNIT), array("b", steps.tobytes()))


def digest() -> str:
    """Return the hash of the data, of the scripts, and of the words of the languages."""
    found = hashlib.sha256()
    sources = [*sorted(DATA.glob("*.toml")), *sorted(DATA.glob("*.py")), *_talk_files(), *_ordinary_files(), *_CODE]
    for path in sources:
        found.update(path.name.encode() + path.read_bytes())
    for path in sorted(DATA.glob("*.toml")):
        found.update(json.dumps(sorted(statement_language(path.stem).wish_kinds.items())).encode())
    return found.hexdigest()


def written(weights: Mapping[str, Weights]) -> str:
    """Return the weights as their file has them."""
    packed = {
        code: [learned.bias, b85encode(compress(learned.features.tobytes(), 9)).decode()] for code, learned in weights.items()
    }
    return json.dumps({"of": digest(), "weights": packed}, indent=1) + "\n"


@cache
def _features(text: str, language: str) -> frozenset[int]:
    words = tokens(text)
    kinds = kinds_of(words, statement_language(language))
    return features_of(words, kinds) if may_wish(kinds) else frozenset()


def _of_language(path: Path) -> Iterator[Example]:
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    parts = {name: lines.strip().splitlines() for name, lines in tables.pop("parts").items()}
    parts["any"] = _any_words(path.stem)
    parts["topic"] += parts["any"]
    for person, said in tables.items():
        name, dice = f"{path.stem} {person}", random.Random(f"{path.stem} {person}")
        is_made = _TEMPLATES in person
        weight, times = (_OF_TEMPLATE / _EACH, _EACH) if is_made else (_OF_PERSON / (_TYPED + 1), 1)
        for kind, lines in said.items():
            for line in filter(None, map(str.strip, lines.splitlines())):
                for _ in range(times):
                    text = _said(line, parts, dice)
                    yield Example(_typed(text, dice) if is_made else text, path.stem, name, kind == "wish", weight)
                    for _ in range(0 if is_made else _TYPED):
                        yield Example(_typed(text, dice), path.stem, name, kind == "wish", weight, is_as_written=False)


def _any_words(code: str) -> Sequence[str]:
    """Return words that stand for any topic: those of talk, of which each counts once."""
    said = " ".join(each.text for each in _of_talk() if each.language == code).lower()
    known = statement_language(code)
    words = sorted(word for word in set(said.split()) if len(word) > _SHORTEST_SLIP and word.isalpha())
    words = [word for word in words if word not in known.wish_kinds]
    return random.Random(code).sample(words, min(len(words), _ANY_WORDS))


def _said(line: str, parts: Mapping[str, Sequence[str]], dice: random.Random) -> str:
    """Return one way of saying a line."""
    while "(" in line or "[" in line or "<" in line:
        line = _CHOICE.sub(lambda found: _chosen(found, dice), line)
        line = _PART.sub(lambda found: dice.choice(parts[found[1]]), line)
    return _SPACED.sub("", " ".join(line.split()))


def _chosen(found: re.Match[str], dice: random.Random) -> str:
    if found[2] is not None and dice.random() < _LEFT_OUT:
        return ""
    return str(dice.choice((found[1] or found[2] or "").split("|")))


def _typed(text: str, dice: random.Random) -> str:
    """Return a text as somebody types it: some letters change places or are lost, some signs are left out."""
    words = text.split()
    for at, word in enumerate(words):
        if len(word) > _SHORTEST_SLIP and word.isalpha() and dice.random() < _SLIPS:
            cut = dice.randrange(1, len(word) - 1)
            words[at] = word[:cut] + dice.choice((word[cut + 1] + word[cut], "")) + word[cut + 2 :]
        elif word[-1] in ",.!" and dice.random() < _LEFT_OUT:
            words[at] = word[:-1]
    return " ".join(filter(None, words))


def _talk_files() -> list[Path]:
    return sorted(path for folder in ("annotated", "statements", "everyday") for path in SUPPORT.glob(f"{folder}/*.toml"))


def _ordinary_files() -> list[Path]:
    return sorted(DATA.parent.glob("*_ordinary.toml"))


def _of_ordinary() -> Iterator[Example]:
    """What is made of the ordinary messages that ask nothing of the memory: they ask nothing lasting of the bot either."""
    for path in _ordinary_files():
        for text, _ in made_of(tomllib.loads(path.read_text(encoding="utf-8")), "talk", path.stem):
            yield Example(text, path.stem[:2], f"{path.stem} talk", is_wish=False, weight=_OF_MADE_TALK)


def _in_talk(wishes: Sequence[Example], talk: Sequence[Example]) -> Iterator[Example]:
    """Talk with words of wishes put in or run on, and wishes beside talk: so a word that happens to be there weighs little."""
    dice = random.Random("in talk")
    for code in sorted({each.language for each in wishes}):
        marked = sorted(statement_language(code).wish_kinds)
        own, asked = [each.text for each in talk if each.language == code], [each for each in wishes if each.language == code]
        for _ in range(_RUN_ON):
            words = dice.choice(own).split()
            for _ in range(dice.randint(1, 3)):
                words.insert(dice.randrange(len(words) + 1), dice.choice(marked))
            yield Example(" ".join(words), code, "talk", is_wish=False, weight=_OF_MADE_TALK)
            yield Example(dice.choice(_JOINTS).join(dice.choices(own, k=2)), code, "talk", is_wish=False, weight=_OF_MADE_TALK)
        for _ in range(_RUN_ON // 4):
            pieces = [dice.choice(own), (wish := dice.choice(asked)).text]
            dice.shuffle(pieces)
            yield wish._replace(text=dice.choice(_JOINTS).join(pieces), weight=_OF_MADE_TALK, is_as_written=False)


def _of_talk() -> Iterator[Example]:
    """The sentences of the tests' talk that no line says to be a wish."""
    for path in _talk_files():
        code = path.stem[:2] if path.stem[:2] in CODES else ENGLISH
        lines = path.read_text(encoding="utf-8").splitlines() if statement_language(code).wish_kinds else ()
        for line in lines:
            for said in () if _OF_WISH.search(line) else _TALK.findall(line):
                for sentence in message_sentences("".join(said)):
                    yield Example(sentence.shown, code, f"{path.stem} talk", is_wish=False, weight=_OF_TALK)
