"""In tests of the night a function that stands in for one of ours takes whatever ours takes: else it dies unnoticed."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
_OURS = ("services.", "shared.", "memstream.")
NIGHTLY = re.compile(r"mark\.nightly|RuleBasedStateMachine")
FILES = [path for path in sorted(TESTS.rglob("test_*.py")) if NIGHTLY.search(path.read_text("utf-8"))]

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_stands_in_takes_the_arguments_of_what_it_stands_for(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    imported, functions = dict(_imported(tree)), {each.name: each for each in ast.walk(tree) if isinstance(each, _Function)}
    for place, name, stand_in in _patched(tree):
        original = getattr(imported.get(place), name, None)
        function = functions.get(stand_in)
        if function is not None and function.args.kwarg is None and inspect.isfunction(original):
            taken = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
            assert _named(original) <= taken, f"{stand_in} in place of {place}.{name}"


def _imported(tree: ast.Module) -> Iterator[tuple[str, object]]:
    """The modules and classes of ours that the test imports, by their names there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and f"{node.module}.".startswith(_OURS):
            for alias in node.names:
                found = getattr(import_module(node.module), alias.name, None)
                yield alias.asname or alias.name, import_module(f"{node.module}.{alias.name}") if found is None else found


def _patched(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Of each patch what it is done to, the name, and the function that stands in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"setattr", "object"}:
            match node.args:
                case [ast.Name(place), ast.Constant(str(name)), ast.Name(stand_in) | ast.Attribute(attr=stand_in)]:
                    yield place, name, stand_in
                case _:
                    pass


def _named(original: object) -> set[str]:
    """The arguments that are given by name."""
    parameters = inspect.signature(original).parameters.values()  # type: ignore[arg-type]
    return {each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY}
