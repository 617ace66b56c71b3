"""Reads CSV: a turn a row, with a first row that names the columns. Columns that nobody knows become metadata."""

import csv
import io
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from memstream._contracts import Malformed
from memstream.importers.plain import FIELDS, field_of, turn_in
from memstream.importers.turns import Assumed, BadField, BadRecord, Parsed, TurnNames

_DELIMITERS = ",;\t|"


def parse(text: str, assumed: Assumed) -> Parsed:
    """Read all rows. Raises Malformed if the first row names no column of a turn's text."""
    rows = csv.DictReader(
        io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=text.partition("\n")[0].count), strict=True
    )
    columns = [(name or "").strip() for name in rows.fieldnames or ()]
    if "text" not in map(field_of, columns):
        raise Malformed(
            f"this is no known form; of CSV the first row must name the columns, one of them {' or '.join(FIELDS['text'])}"
        )
    rows.fieldnames = columns
    parsed, naming = Parsed(), TurnNames()
    try:
        for row in rows:
            _add(row, f"line {rows.line_num}", assumed, parsed, naming)
    except csv.Error as error:
        parsed.bad.append(BadRecord(f"line {rows.line_num}", None, f"not CSV: {error}", None))
    return parsed


def _add(row: Mapping[str | None, Any], place: str, assumed: Assumed, parsed: Parsed, naming: TurnNames) -> None:
    try:
        owner, turn = turn_in(_document(row), assumed)
    except BadField as error:
        parsed.bad.append(BadRecord(place, error.name, error.reason, {name or "": value for name, value in row.items()}))
    else:
        parsed.turns.append(naming.named(turn, owner))


def _document(row: Mapping[str | None, Any]) -> dict[str, Any]:
    if row.get(None):
        raise BadField(None, "it has more values than there are columns")
    given = {name: value for name, value in row.items() if name and value}
    document: dict[str, Any] = {name: value for name, value in given.items() if field_of(name)}
    own = {name: value for name, value in given.items() if not field_of(name)}
    if own or "metadata" in document:
        document["metadata"] = own | _metadata(document.get("metadata", "{}"))
    return document


def _metadata(value: str) -> dict[str, Any]:
    try:
        metadata = from_json(value)
    except ValueError as error:
        raise BadField("metadata", "it must be a JSON object") from error
    if not isinstance(metadata, dict):
        raise BadField("metadata", "it must be a JSON object")
    return metadata
