"""Adds up the metrics of several processes of one service, so that one page tells of all of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

_FAMILY = "# HELP "
_COMMENT = "#"
_SINCE = "_created"
"""Ends the name of a sample that tells since when another is counted: of these the first stays."""


@runtime_checkable
class WithWorkers(Protocol):
    """A service of which other processes do a part."""

    async def metrics_of_workers(self) -> list[str]:
        """What each of them measures, in the text format of Prometheus; of one that does not answer, nothing."""


@dataclass
class _Family:
    comments: list[str] = field(default_factory=list)
    samples: dict[str, float] = field(default_factory=dict)


def added_up(pages: Iterable[str]) -> str:
    """One page of these, in the text format: samples of the same name and labels are added.

    >>> added_up(["asked 1.0", "asked 2.0"]).strip()
    'asked 3.0'
    """
    families = {"": _Family()}
    for page in pages:
        _add(families, page)
    lines = (
        line
        for family in families.values()
        for line in (*family.comments, *(f"{sample} {value}" for sample, value in family.samples.items()))
    )
    return "".join(f"{line}\n" for line in lines)


def _add(families: dict[str, _Family], page: str) -> None:
    family, is_new = families[""], False
    for line in page.splitlines():
        if line.startswith(_FAMILY):
            is_new = line not in families
            family = families.setdefault(line, _Family())
        if line.startswith(_COMMENT):
            family.comments += [line] if is_new else []
            continue
        sample, _, value = line.rpartition(" ")
        if sample.partition("{")[0].endswith(_SINCE):
            family.samples.setdefault(sample, float(value))
        else:
            family.samples[sample] = family.samples.get(sample, 0.0) + float(value)
