"""What was found, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.faults.trial import Found


def write(folder: Path, found: Sequence[Found]) -> None:
    """Write `report.md` and `report.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps([asdict(each) for each in found], indent=1) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(_page(found), encoding="utf-8")


def line(found: Found) -> str:
    """One cell in one line."""
    recovered = "-" if found.recovered_s is None else f"{found.recovered_s:.1f} s"
    return f"{'ok  ' if found.ok else 'FAIL'} {found.cell}: {recovered}; {found.why or '; '.join(found.told[:2])}"[:240]


def _page(found: Sequence[Found]) -> str:
    good = sum(each.ok for each in found)
    rows = [
        "# The fault matrix",
        "",
        f"{good} of {len(found)} cells good: the content digest is that of an undisturbed run, every acknowledged message",
        "is in the log once, in each person's order.",
        "",
        "| Who | Fault | During | Good | Digest equal | Lost | Doubled | Again after | Ended by itself | Said |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for each in found:
        recovered = "" if each.recovered_s is None else f"{each.recovered_s:.1f} s"
        ended = ", ".join(f"{name} ({code})" for name, code in each.ended)
        said = "<br>".join([*([each.why] if each.why else []), *each.told]).replace("|", "\\|").replace("\n", " ")
        cells = (
            each.cell.victim,
            each.cell.fault,
            each.cell.activity,
            "yes" if each.ok else "**no**",
            "yes" if each.digest_equal else "no",
            str(each.lost),
            str(each.doubled),
            recovered,
            ended,
            said,
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"
