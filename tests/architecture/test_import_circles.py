"""No modules import each other in a circle, not even from within functions. What only types need does not count."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from typing import TypeGuard

import pytest

from tests.architecture.source import FILES, SourceFile

MODULES = {file.module for file in FILES}
FOR_TYPES_ONLY = "TYPE_CHECKING"


def imported_by(file: SourceFile) -> set[str]:
    package = file.module if file.path.name == "__init__.py" else file.module.rpartition(".")[0]
    return {name for node in _run_time(file.tree) for name in _targets(node, package)} - {file.module}


def _run_time(tree: ast.AST) -> Iterator[ast.AST]:
    for node in tree.orelse if _is_for_types(tree) else ast.iter_child_nodes(tree):
        yield node
        yield from _run_time(node)


def _is_for_types(node: ast.AST) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and FOR_TYPES_ONLY in ast.unparse(node.test)


def _targets(node: ast.AST, package: str) -> Iterator[str]:
    """The modules of ours that a statement imports: `from a import b` is of `a.b` where that is a module, else of `a`."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in MODULES)
    if isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        module = ".".join([*above, *([node.module] if node.module else [])])
        for alias in node.names:
            yield from [name for name in (f"{module}.{alias.name}", module) if name in MODULES][:1]


def circle_in(graph: dict[str, set[str]]) -> list[str]:
    """Some circle; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def test_no_modules_import_each_other() -> None:
    assert circle_in({file.module: imported_by(file) for file in FILES}) == []


def test_a_circle_would_be_found() -> None:
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"a"}})


@pytest.mark.parametrize(
    ("module", "imported"),
    [("services.ingest.app", "services.ingest.lane"), ("memstream.cli", "memstream.cli.root")],
)
def test_imports_are_seen(module: str, imported: str) -> None:
    (file,) = (file for file in FILES if file.module == module)
    assert imported in imported_by(file)
