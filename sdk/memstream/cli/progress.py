"""Shows how far a long piece of work has come."""

import sys

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from memstream.cli.session import progress_console


def progress_bar(unit: str = "") -> Progress:
    """A bar that shows progress while work lasts, on a terminal only; `unit` stands behind its numbers."""
    what = (TextColumn("{task.description:10}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit))
    times = (TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn())
    return Progress(*what, *times, console=progress_console(), transient=True, disable=not sys.stderr.isatty())
