"""Reads JSON objects, one a line: a turn each."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic_core import from_json

from memstream.importers.plain import turn_in
from memstream.importers.turns import Assumed, BadField, BadRecord, Owner, Parsed, TurnNames


def parse(lines: Iterable[str], *, owner: Owner) -> Parsed:
    """Read all lines; `owner` has the turns that do not name a user or space. Empty lines are skipped."""
    return parse_lines(lines, Assumed(owner))


def parse_lines(lines: Iterable[str], assumed: Assumed) -> Parsed:
    """Read all lines, with what counts where they do not say it."""
    parsed, naming = Parsed(), TurnNames()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            owner, turn = turn_in(object_in(line), assumed)
        except BadField as error:
            parsed.bad.append(BadRecord(f"line {number}", error.name, error.reason, line))
        else:
            parsed.turns.append(naming.named(turn, owner))
    return parsed


def object_in(line: str) -> Mapping[str, Any]:
    """The JSON object of a line. Raises BadField."""
    try:
        document = from_json(line)
    except ValueError as error:
        raise BadField(None, "not JSON; write one JSON object a line") from error
    if not isinstance(document, dict):
        raise BadField(None, "not a JSON object; write one JSON object a line")
    return document
