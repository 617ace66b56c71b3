"""Structured logs: an event is `noun.verb_past`, values are keys. User text is never logged."""

import logging
import sys
from typing import TextIO, cast

import structlog


def configure_logs(*, level: str = "info", as_json: bool = False) -> None:
    """Send log lines to standard error, for people or as JSON."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(),
            exception_formatter=structlog.dev.plain_traceback,  # the rich one prints local variables: user text
        )
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", _StandardError())),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)


class _StandardError:
    """Writes to what `sys.stderr` is at the time: it may be replaced, and the replacement closed."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


log: structlog.typing.FilteringBoundLogger = structlog.get_logger()
"""The logger of every module."""
