"""Requests that an OpenAPI document allows, and some that it does not, made by chance; and whether an answer is documented."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any
from urllib.parse import quote

from jsonschema import Draft202012Validator

Json = Any
Schema = Mapping[str, Any]
_STRINGS = (
    *("x", "", "green tea", "ü" * 40, "a" * 9_000, "\u0000", "null", "'; --", "👩‍👩‍👧 " * 3),
    *("fact_0123456789abcdef01234567", "2026-05-03T09:00:00Z"),
)
_ODD: tuple[Json, ...] = (None, True, -1, 0, 2**63, 1.5, "", "x", [], {}, [[]], {"": ""})
_DEEPEST = 4


class OpenApi:
    """An OpenAPI document whose operations are asked by chance, always the same for a seed."""

    def __init__(self, document: Schema, seed: int) -> None:
        self._document = document
        self._random = Random(seed)

    def operations(self) -> list[tuple[str, str]]:
        """Every method and path."""
        return [(method, path) for path, methods in self._document["paths"].items() for method in methods]

    def request(self, method: str, path: str) -> dict[str, Any]:
        """A request for the operation, of which one part in three does not fit."""
        operation, url, query, headers = self._operation(method, path), path, [], {}
        for parameter in map(self._resolved, operation.get("parameters", ())):
            name, place = parameter["name"], parameter["in"]
            if not parameter.get("required") and self._random.random() < 0.5:
                continue
            value = _written(self._value(parameter["schema"]))
            if place == "path":
                url = url.replace(f"{{{name}}}", quote(value, safe="") or "x")
            elif place == "query":
                query.append((name, value))
            elif place == "header":
                headers[name] = value.encode("ascii", "ignore").decode().replace("\u0000", "").strip()
        body = self._resolved(operation.get("requestBody", {})).get("content", {}).get("application/json")
        made: dict[str, Any] = {"method": method, "url": url, "params": query, "headers": headers}
        return made if body is None else made | {"json": self._value(body["schema"])}

    def faults(self, method: str, path: str, status: int, kind: str, content: Json) -> Iterator[str]:
        """What is not documented of an answer."""
        responses = self._operation(method, path)["responses"]
        if str(status) not in responses:
            yield f"status {status}"
            return
        documented = self._resolved(responses[str(status)]).get("content", {})
        if kind not in documented and (documented or status not in {204, 304}):
            yield f"{status} with {kind}"
        elif (schema := documented.get(kind, {}).get("schema")) and content is not None:
            validator = Draft202012Validator({**schema, "components": self._document["components"]})
            yield from (f"{status}: {fault.json_path}: {fault.message[:120]}" for fault in validator.iter_errors(content))

    def _operation(self, method: str, path: str) -> Schema:
        found: Schema = self._document["paths"][path][method]
        return found

    def _resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            found: Any = self._document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            schema = found
        return schema

    def _value(self, schema: Schema, depth: int = 0) -> Json:
        """A value that fits; sometimes one that does not."""
        chance, schema = self._random, self._resolved(schema)
        if chance.random() < 0.12:
            return chance.choice(_ODD)
        if several := next((schema[key] for key in ("anyOf", "oneOf", "allOf") if key in schema), None):
            return self._value(chance.choice(several), depth)
        if chosen := schema.get("enum") or ([schema["const"]] if "const" in schema else None):
            return chance.choice(chosen)
        made: Mapping[str, Callable[[], Json]] = {
            "object": lambda: self._object(schema, depth),
            "array": lambda: self._array(schema, depth),
            "integer": lambda: chance.randint(int(schema.get("minimum", -5)), int(min(schema.get("maximum", 50), 50))),
            "number": lambda: chance.uniform(schema.get("minimum", -1), min(schema.get("maximum", 5), 5)),
            "boolean": lambda: chance.random() < 0.5,
            "null": lambda: None,
        }
        return made.get(schema.get("type", ""), lambda: chance.choice(_STRINGS))()

    def _array(self, schema: Schema, depth: int) -> Json:
        most = 0 if depth > _DEEPEST else min(schema.get("maxItems", 3), 3)
        return [self._value(schema.get("items", {}), depth + 1) for _ in range(self._random.randint(0, most))]

    def _object(self, schema: Schema, depth: int) -> Json:
        wanted, made = schema.get("required", ()), {}
        for name, of in schema.get("properties", {}).items():
            if name in wanted or (depth <= _DEEPEST and self._random.random() < 0.4):
                made[name] = self._value(of, depth + 1)
        return made


def _written(value: Json) -> str:
    """A value as it stands in a URL or header."""
    text = {True: "true", False: "false", None: ""}.get(value, str(value)) if isinstance(value, bool | None) else str(value)
    return re.sub(r"[\r\n]", " ", text)[:2_000]
