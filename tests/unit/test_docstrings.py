"""The worked numbers in docstrings are what the code gives."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import services
import shared

MODULES = [
    module.name
    for package in (shared, services)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


def test_there_are_examples() -> None:
    found = (test for name in MODULES for test in doctest.DocTestFinder().find(import_module(name)))
    assert sum(len(test.examples) for test in found) > 50
