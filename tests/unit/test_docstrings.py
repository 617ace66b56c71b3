"""The worked numbers in docstrings are what the code gives."""

import doctest
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_examples_of_every_module_hold() -> None:
    sources = [path for room in ("shared", "services") for path in sorted((ROOT / room).rglob("*.py"))]
    shown = [path for path in sources if ">>>" in path.read_text(encoding="utf-8")]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in shown]
    tested = {name: doctest.testmod(import_module(name)) for name in names}
    assert [name for name, each in tested.items() if each.failed] == []
    assert sum(each.attempted for each in tested.values()) > 50
