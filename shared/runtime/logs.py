"""Structured logs: an event is `noun.verb_past`, values are keys. User text is never logged."""

import logging
import sys
import traceback
from pathlib import Path
from typing import TextIO, cast

import structlog

_MOST_FRAMES = 8


def configure_logs(*, level: str = "info", as_json: bool = False) -> None:
    """Send log lines to standard error, for people or as JSON."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _trace_error,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", _StandardError())),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)


def _trace_error(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Replace the error of a log line by its trace: the message of an error may quote what a person said."""
    error = event.pop("exc_info", None)
    error = sys.exc_info()[1] if error is True else error
    return {**event, "trace": trace_of(error)} if isinstance(error, BaseException) else event


class _StandardError:
    """Writes to what `sys.stderr` is at the time: it may be replaced, and the replacement closed."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


log: structlog.typing.FilteringBoundLogger = structlog.get_logger()
"""The logger of every module."""


def trace_of(error: BaseException) -> str:
    """Return the type of an error and the last frames that it came through, the innermost first.

    The message of the error is left out: it may quote what a person said.
    """
    frames = traceback.extract_tb(error.__traceback__)[-_MOST_FRAMES:]
    places = (f"{'/'.join(Path(each.filename).parts[-3:])}:{each.lineno} {each.name}" for each in reversed(frames))
    return " < ".join([type(error).__name__, *places])
