import ast
import sys
from pathlib import Path

import pytest

import shared.contracts

ALLOWED = {"pydantic", "pydantic_core", "typing_extensions", *sys.stdlib_module_names}
FOLDER = Path(shared.contracts.__file__).parent


def imported_roots(source: str) -> set[str]:
    found = set[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: str(path.relative_to(FOLDER)))
def test_contracts_import_each_other_relatively_and_otherwise_only_pydantic(path: Path) -> None:
    """Absolute imports of `shared` would load a second copy, or a bot's own `shared`, from within a wheel."""
    assert imported_roots(path.read_text()) <= ALLOWED
