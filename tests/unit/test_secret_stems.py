"""What is told from a few letters leaves out no text that holds a secret."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import chain, combinations
from re import _parser  # type: ignore[attr-defined]  # what an expression consists of is told nowhere else
from typing import Any

import pytest

import shared.language.text
from shared.language.text.secret_shapes import _PREFIXED, _SHORTEST_KEY, CODE, _patterns
from shared.language.text.secret_words import may_name, secret_words

_TABLES = tomllib.loads(resources.files(shared.language.text).joinpath("secrets.toml").read_text(encoding="utf-8"))
NAMES = list(chain.from_iterable(_TABLES["names"].values()))
_ANY = "\0"


def sayings(expression: str) -> set[str]:
    """What an expression matches, `_ANY` for any of many signs. What is repeated is so as seldom as may be, and once more."""
    return _of_all(_parser.parse(expression, re.IGNORECASE))


def _of_all(items: Any) -> set[str]:  # noqa: ANN401 - what the parser returns
    said = {""}
    for operation, value in items:
        said = {f"{before}{after}" for before in said for after in _of_one(str(operation), value)}
    return said


def _of_one(operation: str, value: Any) -> set[str]:  # noqa: ANN401
    match operation:
        case "LITERAL":
            found = {chr(value)}
        case "IN":
            found = set().union(*(_of_one(str(kind), each) for kind, each in value))
        case "NOT_LITERAL" | "ANY" | "CATEGORY" | "RANGE" | "NEGATE":
            found = {_ANY}
        case "BRANCH":
            found = set().union(*map(_of_all, value[1]))
        case "SUBPATTERN":
            found = _of_all(value[-1])
        case "MAX_REPEAT" | "MIN_REPEAT":
            found = set(_repeated(sorted(_of_all(value[2])), value[0], min(int(value[1]), value[0] + 1)))
        case "ASSERT" | "ASSERT_NOT" | "AT":
            found = {""}
        case _:
            raise NotImplementedError(operation)
    return found


def _repeated(said: Sequence[str], least: int, most: int) -> Iterator[str]:
    for times in range(least, most + 1):
        found = {""}
        for _ in range(times):
            found = {f"{before}{each}" for before in found for each in said}
        yield from found


@pytest.mark.parametrize(("stems", "expression"), NAMES, ids=[f"{at}: {stems}" for at, (stems, _) in enumerate(NAMES)])
def test_whatever_names_a_secret_has_a_stem_of_its_expression(stems: str, expression: str) -> None:
    some = stems.split()
    for said in sayings(expression):
        assert any(stem in (said if stem.isupper() else said.lower()) for stem in some), said


def test_codes_have_digits() -> None:
    codes = [pattern.pattern for kind, _, pattern in _patterns() if kind == CODE]
    assert all(r"(?P<secret>\d{4,8}" in each or r"(?P<secret>G-\d{6}" in each for each in codes), codes


def test_keys_are_long_and_have_no_white_space() -> None:
    least, _ = _parser.parse("|".join(_PREFIXED)).getwidth()
    assert least == _SHORTEST_KEY
    assert not any(re.search(r"\s|\\s|\[\^|\(\?!", each) for each in _PREFIXED if "(?![A-Za-z0-9])" not in each)


TEXTS = [
    "Die Geheimzahl ist 4711, das Passwort hunter2.",
    "the key and the door, a pin and a pass, seeds of words",
    "my paſſword of the bank, the pın of the seed",
    "MY PASSWORD: X, The TAN IS 123456, tan lines, o código de acceso",
    "alarm: 4711, front door 1234, keypad 4711, nip 4711",
    "İn şehir pİn 4711 key",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_part_of_a_text_in_which_no_secret_may_be_named_names_none(text: str) -> None:
    names = secret_words().names
    for start, end in combinations(range(len(text) + 1), 2):
        found = names.search(text, start, end)
        folded = text[start:end].lower()
        has_stem = any(stem in folded for stem in secret_words().stems) or any(
            stem in text[start:end] for stem in secret_words().as_written
        )
        assert may_name(text, start, end) or not (found and has_stem)


def test_what_only_has_a_stem_is_not_searched_for_all_names() -> None:
    assert [may_name(text, 0, len(text)) for text in ("I was passing a shopping bank", "a bicycle", "my pin")] == [
        False,
        False,
        True,
    ]
