"""What an endpoint accepts: the parameters and the form of structured output that requests to it have."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from pydantic import JsonValue

_TOO_LONG_CODES = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "request_too_large", "string_above_max_length"}
)
_TOO_LONG = re.compile(
    r"context (?:length|size|window)|too (?:long|large|many tokens)|(?:maximum|max) .{0,40}(?:tokens|length)|token limit"
    r"|reduce the length|exceed\w* .{0,40}(?:tokens|length|context)|n_ctx|max_model_len",
    re.IGNORECASE,
)
_OF_FORMAT = re.compile(r"response_?format|json_?schema|json_?object|structured|guided|grammar|schema", re.IGNORECASE)
_NEWER_NAMES = {"max_tokens": "max_completion_tokens"}


class AnswerFormat(StrEnum):
    """How an endpoint is asked for JSON, the strictest first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"


_LOOSER = {AnswerFormat.JSON_SCHEMA: AnswerFormat.JSON_OBJECT, AnswerFormat.JSON_OBJECT: AnswerFormat.TEXT}


class Complaint(NamedTuple):
    """What an endpoint says about a request that it refuses. Its message may quote what was said: it is never shown."""

    param: str
    code: str
    message: str

    @classmethod
    def of(cls, body: object) -> Complaint:
        """What the body of a refusal says, in whatever shape it comes."""
        error = body.get("error", body) if isinstance(body, dict) else body
        fields = error if isinstance(error, dict) else {}
        codes = (str(fields.get(name) or "") for name in ("code", "type"))
        return cls(str(fields.get("param") or ""), " ".join(codes), json.dumps(error, default=str))

    @property
    def is_of_length(self) -> bool:
        """True if the request was too long."""
        return not _TOO_LONG_CODES.isdisjoint(self.code.split()) or bool(_TOO_LONG.search(self.message))

    def names(self, parameter: str) -> bool:
        """True if it is about this parameter."""
        return bool(re.search(rf"\b{re.escape(parameter)}\b", self.param or self.message))


@dataclass(frozen=True, slots=True)
class Dialect:
    """What is put into a request beside its messages."""

    parameters: Mapping[str, JsonValue]
    answer_format: AnswerFormat

    def body(self, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters and the `response_format` of a request for this schema."""
        match self.answer_format:
            case AnswerFormat.JSON_SCHEMA:
                wanted = {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}
            case AnswerFormat.JSON_OBJECT:
                wanted = {"type": "json_object"}
            case AnswerFormat.TEXT:
                return dict(self.parameters)
        return {**self.parameters, "response_format": wanted}

    def without_refused(self, complaint: Complaint) -> Dialect | None:
        """What to try next: without the parameter that is refused, or in a looser format; None if nothing is left to leave out.

        A complaint that names nothing known costs the format first, and then all parameters.
        """
        named = [each for each in self.parameters if complaint.names(each)]
        if named:
            parameter = named[0]
            left = {name: value for name, value in self.parameters.items() if name != parameter}
            if newer := _NEWER_NAMES.get(parameter):
                left[newer] = self.parameters[parameter]
            return replace(self, parameters=left)
        looser = _LOOSER.get(self.answer_format)
        if looser:
            return replace(self, answer_format=looser)
        is_open = self.parameters and not (complaint.param and _OF_FORMAT.search(complaint.param))
        return replace(self, parameters={}) if is_open else None
