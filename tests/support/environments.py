"""Virtual environments that hold what is installed here and nothing else, so that pip installs ours as a newcomer's does."""

from __future__ import annotations

import venv
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def needed(root: str, *extras: str) -> set[str]:
    """The distributions that one with these extras needs, without itself."""
    found: dict[str, set[str]] = {}
    new = {root: {"", *extras}}
    while new:
        for name, wanted in new.items():
            found.setdefault(name, set()).update(wanted)
        required = [each for name, wanted in new.items() for each in _requirements(name, wanted)]
        asked = {str(canonicalize_name(each.name)): {"", *each.extras} for each in required}
        new = {name: wanted for name, wanted in asked.items() if not wanted <= found.get(name, set())}
    return found.keys() - {root}


def environment_with(names: set[str], folder: Path, *, has_pip: bool = False) -> Path:
    """An environment in which these distributions are linked, not copied; its site-packages."""
    venv.create(folder, with_pip=has_pip, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in names:
        installed = distribution(name)
        for file in installed.files or ():
            is_command = file.parts[0] == ".." and file.parts[-2] == "bin"
            link = folder / "bin" / file.name if is_command else packages / file.parts[0]
            if not link.exists() and (is_command or file.parts[0] != ".."):  # a namespace may be there already
                link.symlink_to(str(installed.locate_file(file if is_command else file.parts[0])))
    return packages


def _requirements(name: str, extras: set[str]) -> list[Requirement]:
    wanted = [Requirement(text) for text in distribution(name).requires or ()]
    return [each for each in wanted if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras)]
