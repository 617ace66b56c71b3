"""The sentences to learn from: made of templates, those of the tests, and talk that asks nothing."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import tests.support
from shared.language.commands.language import SHIPPED_LANGUAGES
from shared.language.commands.phrases import Choice, NamedParts, Phrase, PhraseWord, parse
from shared.language.commands.wishes import WishWords, kinds_of
from shared.language.tables import table
from shared.language.text.frequency import vocabulary

DATA = Path(__file__).parent
SUPPORT = Path(tests.support.__file__).parent
EACH, ORDINARY = 24, 70
"""Sentences made of each phrase, and of each one of an ordinary message."""
_LEFT_OUT = 0.5
"""How often what is optional is left out."""
_ANY_WORD = "zzz"
_FREQUENT = slice(1_996, 9_000)
"""The places of words in the vocabulary that stand for any word."""
_TOLD = "told"
_RUN_ON = 6_000
_JOINTS = (" and ", ", so ", " but ", ", ", " because ", " , and ", " ")
_SHORTEST = 12
"""Characters of a sentence of talk."""
_QUOTED = re.compile(rf'"([^"]{{{_SHORTEST},}})"')
_SAID = re.compile(r"^(?:user|bot): (.+)$", re.MULTILINE)
_LINES = {
    "remarks": {"withhold": True, "next": False, "bare": False, "before": False, "forget": False},
    "announcements": {"withhold": True, "next": True, "bare": True, "before": False},
    "before": {"withhold": True, "next": False, "bare": True, "before": True},
    "both": {"withhold": True, "next": False, "bare": True, "before": False},
    "look_alikes": {"withhold": False, "forget": False},
    "keeps": {"withhold": False, "forget": False},
    "commands": {"withhold": False},
    "forgets": {"withhold": False, "forget": True},
}
"""The answers to the questions for the messages of a table, by its name."""
_LOOK_ALIKE = 3.0
"""How much more a message counts that is not to be taken for a wish."""
_TIMES = 3
"""How often a person's way of saying a wish is used."""
_AFTER_WISH = (": ", ", ", ". ", " ", " - ", ", but ", "\n", "... ")
_BEFORE_WISH = (", ", ". ", " ", ".. ", " - ", ". ", "\n", "! ")


class Example(NamedTuple):
    """A message and the answers to the questions of `wishes.QUESTIONS`; None where it is no example."""

    text: str
    persona: str  # who wrote it: held out together
    weight: float
    withhold: bool | None = None
    next: bool | None = None
    bare: bool | None = None
    forget: bool | None = None
    before: bool | None = None


@cache
def examples() -> tuple[Example, ...]:
    """All examples, in the same order each time."""
    made, talk = [*_of_people(), *_of_templates()], list(_of_talk())
    wishes = [each for each in made if each.withhold and not each.next]
    return (*made, *_of_tests(), *talk, *_in_talk(wishes, talk))


def personas() -> list[str]:
    """Who wrote what is held out: the people, and the authors of the tests' sets."""
    people = [
        person for path in sorted(DATA.glob("people/*.toml")) for person in tomllib.loads(path.read_text(encoding="utf-8"))
    ]
    return [*people, *sorted(path.stem for path in SUPPORT.glob("wishes/*.toml"))]


def sources() -> list[Path]:
    """The files that were written to learn from. Ordinary talk of other tests changes, and little comes of it."""
    written = (*DATA.glob("*.toml"), *DATA.glob("people/*.toml"))
    return [*sorted(written), *sorted(DATA.glob("*.py")), *sorted(SUPPORT.glob("wishes/*.toml"))]


def _of_templates() -> Iterator[Example]:
    for path in sorted(DATA.glob("*.toml")):
        made = tomllib.loads(path.read_text(encoding="utf-8"))
        for kind in ("withhold", "bare", "next", "forget", "talk"):
            for text, is_told in made_of(made, kind, path.stem):
                is_wish = kind in {"withhold", "bare", "next"}
                yield Example(
                    text,
                    f"templates {path.stem}",
                    0.5,
                    withhold=is_wish,
                    next=kind == "next" if is_wish else None,
                    bare=not is_told if is_wish else None,
                    forget=None if kind in {"bare", "next"} else kind == "forget",
                )


def _of_people() -> Iterator[Example]:
    """What the people of people/*.toml write."""
    for path in sorted(DATA.glob("people/*.toml")):
        for person, said in tomllib.loads(path.read_text(encoding="utf-8")).items():
            yield from _of_person(person, {name: lines.strip().splitlines() for name, lines in said.items()})


def _of_person(person: str, said: Mapping[str, Sequence[str]]) -> Iterator[Example]:
    dice = random.Random(person)
    firsts, lasts = said.get("first", ()), said.get("last", ())
    for wish in firsts:
        for told in dice.sample(said["told"], _TIMES):
            yield Example(_joined(wish, told, _AFTER_WISH, dice), person, 1.0, **_LINES["remarks"])
    for wish in lasts:
        for told in dice.sample(said["told"], _TIMES):
            yield Example(_joined(told, wish, _BEFORE_WISH, dice), person, 1.0, **_LINES["remarks"])
    for wish in (*firsts, *lasts):
        yield Example(wish, person, 1.0, withhold=True, bare=True)
    for command in said.get("forgets", ()):
        for topic in dice.sample(said["topics"], _TIMES):
            yield Example(command.replace("{t}", topic), person, 1.0, **_LINES["forgets"])
    yield from _of_tables({name: lines for name, lines in said.items() if name != "forgets"}, person, 2.0)


def _joined(first: str, last: str, joints: Sequence[str], dice: random.Random) -> str:
    is_ended = first[-1] in ".!?:,;"
    return f"{first}{' ' if is_ended else dice.choice(joints)}{last}"


def _of_tests() -> Iterator[Example]:
    for path in sorted(SUPPORT.glob("wishes/*.toml")):
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        yield from _of_tables({name: lines.strip().splitlines() for name, lines in tables.items()}, path.stem, 4.0)


def _of_tables(said: Mapping[str, Sequence[str]], persona: str, weight: float) -> Iterator[Example]:
    """The messages of tables that are named as in `_LINES`."""
    for name, answers in _LINES.items():
        for text in said.get(name, ()):
            yield Example(text, persona, weight if answers["withhold"] else _LOOK_ALIKE * weight, **answers)


def _of_talk() -> Iterator[Example]:
    for path in sorted([*SUPPORT.glob("annotated/*.toml"), *SUPPORT.glob("statements/*.toml")]):
        text = path.read_text(encoding="utf-8")
        for said in (*_SAID.findall(text), *_QUOTED.findall(text)):
            yield Example(said, path.stem, 1.0, withhold=False, forget=False)


def _in_talk(wishes: Sequence[Example], talk: Sequence[Example]) -> Iterator[Example]:
    """Talk that runs on, talk with a word that may be of a wish put in, and wishes amid talk that runs on.

    So words that only happen to stand beside such a word weigh little.
    """
    dice = random.Random("in talk")
    known = {
        word.rstrip("*")
        for code in SHIPPED_LANGUAGES
        for words in table(code, WishWords).model_dump().values()
        for word in words
    }
    marked = sorted(word for word in known if kinds_of([word])[0] in set("KPESRDNL"))
    for _ in range(_RUN_ON):
        said = _JOINTS[dice.randrange(len(_JOINTS))].join(dice.choice(talk).text for _ in range(dice.randint(2, 4)))
        yield Example(said, "run on", 1.0, withhold=False, forget=False)
        words = dice.choice(talk).text.split()
        for _ in range(dice.randint(1, 3)):
            words.insert(dice.randrange(len(words) + 1), dice.choice(marked))
        yield Example(" ".join(words), "run on", 0.5, withhold=False, forget=False)
    for _ in range(_RUN_ON // 3):
        wish = dice.choice(wishes)
        pieces = [dice.choice(talk).text, wish.text, *(dice.choice(talk).text for _ in range(dice.randint(0, 1)))]
        dice.shuffle(pieces)
        yield wish._replace(text=dice.choice(_JOINTS).join(pieces), persona="run on", weight=0.5, bare=False, next=None)


def made_of(made: Mapping[str, Any], kind: str, stem: str) -> Iterator[tuple[str, bool]]:
    """Sentences of a kind, and whether something is told in each."""
    dice, parts = random.Random(f"{stem} {kind}"), NamedParts(made["parts"])
    told = parts.named(_TOLD, _TOLD)
    for written in made.get(kind, ()):
        phrase = parse(written, parts)
        for _ in range(ORDINARY if stem.endswith("ordinary") else EACH):
            words = list(_said(phrase, dice, told))
            text = " ".join(dice.choice(_any_words()) if word == _ANY_WORD else word for word in words if word)
            yield text, "" in words


def _said(phrase: Phrase, dice: random.Random, told: Choice) -> Iterator[str]:
    """The words of one way of saying a phrase, with an empty one where something is told."""
    for item in phrase:
        match item:
            case PhraseWord(form):
                yield form
            case Choice(options, is_optional):
                if not (is_optional and dice.random() < _LEFT_OUT):
                    if item is told:
                        yield ""
                    yield from _said(dice.choice(options), dice, told)
            case _:
                raise ValueError("nothing is captured here")


@cache
def _any_words() -> list[str]:
    return [word for word in [*vocabulary()][_FREQUENT] if re.fullmatch(r"[a-z]{3,}", word)]
