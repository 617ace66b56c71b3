"""The gateway is a bot like any other: it imports the client, the contracts and the runtime, and nothing of another service."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

GATEWAY = Path(__file__).parents[2] / "services" / "gateway"
ROOMS = ("services.gateway", "memstream.client", "memstream.batches", "shared.contracts", "shared.runtime")
"""All of ours that it imports; import-linter has what it may not import of the runtime."""


@pytest.mark.parametrize("path", sorted(GATEWAY.rglob("*.py")), ids=lambda path: path.relative_to(GATEWAY).as_posix())
def test_a_module_of_the_gateway_imports_of_ours_only_the_client_contracts_and_runtime(path: Path) -> None:
    named = {
        name
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else _names(node))
    }
    ours = {name for name in named if name.split(".")[0] in {"services", "shared", "memstream"}}
    assert [name for name in ours if not any(name == room or name.startswith(f"{room}.") for room in ROOMS)] == []


def _names(node: ast.AST) -> list[str]:
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
