"""A class is called what no other class is called, in services, shared and sdk (CONTRIBUTING, style 1)."""

import ast
import re
from collections import defaultdict

from tests.architecture.source import FILES

CAMEL_CASE = re.compile(r"_?[A-Z]\w*[a-z]\w*")

ON_PURPOSE: dict[str, str] = {}
"""Names that may stand for two things, each with the reason."""


def declared() -> dict[str, list[str]]:
    """Where every class, and every alias of a type that is named like one, is declared."""
    places = defaultdict[str, list[str]](list)
    for file in FILES:
        classes = [node.name for node in ast.walk(file.tree) if isinstance(node, ast.ClassDef)]
        aliases = [name for node in file.tree.body for name in _assigned(node) if CAMEL_CASE.fullmatch(name)]
        for name in {*classes, *aliases}:
            places[name].append(file.place)
    return places


def _assigned(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def test_no_two_classes_of_a_package_have_the_same_name() -> None:
    twice = {
        name: places
        for name, places in declared().items()
        if len(places) > len({place.rpartition("/")[0] for place in places}) or (len(places) > 1 and name in ON_PURPOSE)
    }
    assert {name: places for name, places in twice.items() if name not in ON_PURPOSE} == {}
    assert ON_PURPOSE.keys() - twice.keys() == set(), "these are unique: take them out of the table"


def test_classes_and_aliases_are_seen() -> None:
    places = declared()
    assert places["EpisodeRecorded"] == ["shared/contracts/events.py"]
    assert "shared/contracts/ids.py" in places["MemoryId"]
