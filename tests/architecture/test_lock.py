import json
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text()

NOT_LOCKED = {"light", "ner"}
"""Extras that no test uses, each with its reason in pyproject.toml."""


def test_the_lock_names_no_address_and_no_path() -> None:
    junk = re.findall(r"^.*(?:[/@]|^-|^\s+--(?!hash=)).*$", LOCK, re.MULTILINE)
    assert junk == []


def test_the_lock_satisfies_every_dependency_that_is_declared() -> None:
    """Catches a dependency that was added, or a bound that was raised, without `make lock`."""
    locked: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", LOCK, re.MULTILINE):
        locked.setdefault(canonicalize_name(name), []).append(version)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    declared = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(text for extra, texts in extras.items() if extra not in NOT_LOCKED for text in texts),
        *project["dependency-groups"]["dev"],
    ]
    unmet = [
        text
        for text, wanted in ((text, Requirement(text)) for text in declared)
        if not any(wanted.specifier.contains(version) for version in locked.get(canonicalize_name(wanted.name), []))
    ]
    assert unmet == []


def test_the_lock_of_the_javascript_example_names_no_registry_and_pins_every_package() -> None:
    text = (ROOT / "examples" / "javascript" / "package-lock.json").read_text()
    assert "resolved" not in text
    assert "://" not in text
    packages = {name: package for name, package in json.loads(text)["packages"].items() if name}
    assert packages
    assert all({"version", "integrity"} <= package.keys() for package in packages.values())
