"""The regular expressions that are compiled in this process, and what in them may take more than linear time."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from re import _constants as code  # type: ignore[attr-defined]  # how Python itself reads an expression
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

Node = tuple[Any, Any]
_MANY = 20
"""Times; what is repeated more often counts as unbounded."""
_REPEATS = {code.MAX_REPEAT, code.MIN_REPEAT}


def compiled() -> set[tuple[str, int]]:
    """The expressions that are compiled now, with their flags."""
    every = (each for each in gc.get_objects() if isinstance(each, re.Pattern))
    return {(each.pattern, each.flags) for each in every if isinstance(each.pattern, str)}


def is_ambiguous(pattern: str, flags: int = 0) -> bool:
    """Whether a repeat holds a repeat that can follow itself: `(?:a+b?)+` cuts a run of `a` in exponentially many ways.

    Possessive repeats and atomic groups are cut in one way.

    >>> is_ambiguous(r"(?:a+b?)+c"), is_ambiguous(r"(?:a++b?)+c"), is_ambiguous(r"(?:a+b)+c")
    (True, False, False)
    """
    return any(_holds_a_lone_repeat(body) for body in _repeated(parser.parse(pattern, flags)))


def _repeated(nodes: Sequence[Node]) -> Iterator[Sequence[Node]]:
    """What is repeated without bound, at any depth."""
    for operation, argument in nodes:
        if operation in _REPEATS and argument[1] >= _MANY:
            yield argument[2]
        for inner in _inside(operation, argument):
            yield from _repeated(inner)


def _holds_a_lone_repeat(nodes: Sequence[Node]) -> bool:
    """Whether all that must be there of a sequence is one unbounded repeat."""
    for place, (operation, argument) in enumerate(nodes):
        others = [*nodes[:place], *nodes[place + 1 :]]
        if not all(_may_be_empty(*other) for other in others):
            continue
        if operation in _REPEATS and argument[1] >= _MANY:
            return True
        if operation in {code.BRANCH, code.SUBPATTERN} and any(map(_holds_a_lone_repeat, _inside(operation, argument))):
            return True
    return False


def _may_be_empty(operation: Any, argument: Any) -> bool:  # noqa: ANN401 - as re's parser gives them
    if operation in {code.AT, code.ASSERT, code.ASSERT_NOT}:
        return operation is not code.AT
    if operation in {*_REPEATS, code.POSSESSIVE_REPEAT}:
        return argument[0] == 0 or all(_may_be_empty(*each) for each in argument[2])
    if operation in {code.SUBPATTERN, code.ATOMIC_GROUP, code.BRANCH}:
        return any(all(_may_be_empty(*each) for each in inner) for inner in _inside(operation, argument))
    return False


def _inside(operation: Any, argument: Any) -> list[Sequence[Node]]:  # noqa: ANN401 - as re's parser gives them
    """The sequences inside a node."""
    if operation is code.BRANCH:
        return list(argument[1])
    if operation is code.SUBPATTERN:
        return [argument[3]]
    if operation in {*_REPEATS, code.POSSESSIVE_REPEAT}:
        return [argument[2]]
    if operation in {code.ASSERT, code.ASSERT_NOT}:
        return [argument[1]]
    return [argument] if operation is code.ATOMIC_GROUP else []
