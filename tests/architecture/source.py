"""The source of services, shared and sdk, parsed once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class SourceFile:
    """One file, and the name under which it is imported."""

    path: Path
    module: str

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def place(self) -> str:
        return str(self.path.relative_to(ROOT))

    def functions(self) -> Iterator[Function]:
        """All functions and methods, also those inside of others."""
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))

    def documented(self) -> Iterator[tuple[ast.AST, str]]:
        """What has a docstring, and the docstring."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Module | ast.ClassDef | Function) and (docstring := ast.get_docstring(node)):
                yield node, docstring


def _files() -> Iterator[SourceFile]:
    for folder, base in (("services", ROOT), ("shared", ROOT), ("sdk/memstream", ROOT / "sdk")):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(base).with_suffix("").parts
            yield SourceFile(path, ".".join(parts[:-1] if parts[-1] == "__init__" else parts))


FILES = tuple(_files())
