"""Runs the fault matrix: `python -m tests.faults [--only "ingest kill import"] [--at-once 3] [--stop-s 100]`."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shared.runtime.keys import create_keys
from tests.faults.activities import Activity
from tests.faults.cells import Cell, Patience, cells
from tests.faults.disks import Disk, can_mount
from tests.faults.report import line, write
from tests.faults.trial import Found, Left, tried, undisturbed

_INSIDE = "MEMSTREAM_FAULTS_INSIDE"
_NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
_REPORT = Path("build/chaos")


def main() -> int:
    """Exit code 1 if a cell is not good."""
    arguments = _arguments()
    chosen = [cell for cell in cells() if _is_chosen(cell, arguments.only)]
    if arguments.list:
        print(*chosen, sep="\n")
        return 0
    _go_inside()
    if not can_mount():
        print("no file system can be mounted here: the cells of full disks are left out")
        chosen = [cell for cell in chosen if cell.fault != "full"]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    found = asyncio.run(_run(chosen, arguments.at_once, Patience(arguments.stop_s)))
    write(arguments.report, found)
    print(f"{sum(each.ok for each in found)} of {len(found)} good; {arguments.report / 'report.md'}")
    return 0 if all(each.ok for each in found) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--only", action="append", default=[], help="cells whose name has all of these words; again: or these")
    parser.add_argument("--at-once", type=int, default=3, help="cells at a time")
    parser.add_argument("--stop-s", type=float, default=Patience().stop_s, help="how long somebody is stopped by SIGSTOP")
    parser.add_argument("--report", type=Path, default=_REPORT)
    parser.add_argument("--list", action="store_true", help="only list the cells")
    return parser.parse_args()


def _is_chosen(cell: Cell, only: list[str]) -> bool:
    return not only or any(set(words.split()) <= set(str(cell).split()) for words in only)


def _go_inside() -> None:
    """Become this program in a namespace in which it may mount, where there can be one: its disks go with it."""
    if _INSIDE in os.environ or shutil.which(_NAMESPACE[0]) is None:
        return
    if subprocess.run([*_NAMESPACE, "true"], capture_output=True, check=False).returncode == 0:
        os.environ[_INSIDE] = "1"
        os.execvp(_NAMESPACE[0], [*_NAMESPACE, sys.executable, "-m", "tests.faults", *sys.argv[1:]])


@contextmanager
def _folder() -> Iterator[Path]:
    """A temporary folder: in memory, where that may be mounted, so that what others write does not slow it."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        disk = Disk(Path(folder)) if can_mount() else None
        try:
            yield Path(folder)
        finally:
            if disk is not None:
                disk.unmount()


async def _run(chosen: list[Cell], at_once: int, patience: Patience) -> list[Found]:
    with _folder() as root:
        places, keys = asyncio.Semaphore(at_once), root / "keys.toml"
        create_keys(keys)

        async def baseline(activity: Activity) -> Left:
            async with places:
                return await undisturbed(root / f"calm-{activity}", activity, keys)

        async def one(number: int, cell: Cell) -> Found:
            async with places:
                found = await tried(root / f"cell-{number}", cell, calm[cell.activity], keys, patience)
                shutil.rmtree(root / f"cell-{number}", ignore_errors=True)
                print(line(found), flush=True)
                return found

        activities = dict.fromkeys(cell.activity for cell in chosen)
        calm = {activity: asyncio.create_task(baseline(activity)) for activity in activities}
        await asyncio.wait(calm.values())  # they are the measure: nobody else shares the machine
        return list(await asyncio.gather(*(one(number, cell) for number, cell in enumerate(chosen))))


if __name__ == "__main__":
    sys.exit(main())
