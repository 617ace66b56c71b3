"""Contracts as markdown: the fields of a model with types, limits and meanings."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from types import ModuleType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_json
from pydantic_settings import BaseSettings

from shared.contracts import (
    commands,
    conflicts,
    consolidating,
    entities,
    envelope,
    events,
    ids,
    learning,
    moving,
    parts,
    preferences,
    privacy,
    queries,
    recalls,
    undoing,
)


def grid(heads: tuple[str, ...], rows: Iterable[Iterable[str]]) -> str:
    """A table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def codes(words: Iterable[str]) -> str:
    """Words set as code."""
    return ", ".join(f"`{word}`" for word in words)


def doc(model: type) -> str:
    """What a class says of itself, in one line."""
    said, _, _ = (inspect.getdoc(model) or "").partition("Source: ")  # which is for those who read the code
    return " ".join(said.split())


def table(model: type[BaseModel]) -> str:
    """The fields of a model."""
    schema = model.model_json_schema()
    rows = [
        (f"`{name}`", _type(field, schema["properties"][name], schema), _default(name, schema), _meaning(field))
        for name, field in model.model_fields.items()
    ]
    return grid(("Field", "Type", "Default", "Meaning"), rows) if rows else "It has no fields."


def pieces(models: Iterable[type[BaseModel]]) -> Iterator[str]:
    """The models and rules that others refer to by name."""
    names = {
        name for model in models for name, piece in model.model_json_schema().get("$defs", {}).items() if "properties" in piece
    }
    for name in sorted(names):
        yield f"### {name}"
        yield doc(_MODELS[name])
        yield table(_MODELS[name])
    for name in ("Text", "Metadata"):
        yield f"### {name}"
        yield NAMES[name]


def variables(model: type[BaseSettings]) -> Iterator[tuple[str, str, str]]:
    """(variable, default, meaning) of each setting."""
    prefix = model.model_config.get("env_prefix", "")
    for name, field in model.model_fields.items():
        default = (
            "the platform's usual place" if field.default_factory else f"`{to_json(field.default, exclude_none=True).decode()}`"
        )
        yield f"`{prefix}{name.upper()}`", default, field.description or ""


def _type(field: FieldInfo, schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    for name in ("Text", "Metadata"):
        if get_args(getattr(parts, name))[1] in field.metadata:
            return f"[{name}](#{name.lower()})"
    if field.annotation is envelope.EventData:
        return "the event's own fields"
    return _words(schema, root.get("$defs", {}))


def _words(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """A JSON schema in words."""
    match schema:
        case {"$ref": ref}:
            name = str(ref).rsplit("/", 1)[-1]
            return codes(definitions[name]["enum"]) if "enum" in definitions[name] else f"[{name}](#{name.lower()})"
        case {"enum": values} | {"const": values}:
            return codes(values if isinstance(values, list) else [values])
        case {"anyOf": choices}:
            return " or ".join(_words(choice, definitions) for choice in choices)
        case {"type": "array", "items": items}:
            return f"list of {_words(items, definitions)}{_limits(schema, 'Items', ' items')}"
        case _:
            return _plain(schema)


def _plain(schema: Mapping[str, Any]) -> str:
    match schema:
        case {"type": "string", "format": "date-time"}:
            return "moment with time zone"
        case {"type": "string"}:
            return f"string{_limits(schema, 'Length', ' characters')}"
        case {"type": "object", "additionalProperties": {"type": "object"}}:
            return "object of objects"
        case {"type": "object", "additionalProperties": {"type": kind}}:
            return f"object of {kind}s"
        case {"type": kind}:
            return f"{kind}{_limits(schema, 'imum', '')}"
        case _:
            return "any JSON"


def _limits(schema: Mapping[str, Any], suffix: str, unit: str) -> str:
    """Such as ` (1 to 256 characters)`."""
    low, high, above = schema.get(f"min{suffix}"), schema.get(f"max{suffix}"), schema.get("exclusiveMinimum")
    if low is not None and high is not None:
        return f" ({low} to {high}{unit})"
    bounds = {"above": above, "at least": low, "at most": high}
    said = [f"{words} {bound}" for words, bound in bounds.items() if bound is not None]
    return f" ({', '.join(said)}{unit})" if said else ""


def _default(name: str, schema: Mapping[str, Any]) -> str:
    if name in schema.get("required", ()):
        return "required"
    value = schema["properties"][name].get("default", {})  # what a factory makes is not in the schema: `{}` everywhere
    return f"`{json.dumps(value)}`"


def _meaning(field: FieldInfo) -> str:
    """As the field says, else as its type says."""
    if field.description:
        return field.description
    choices = get_args(field.annotation) if get_origin(field.annotation) in {Union, UnionType} else (field.annotation,)
    names = (getattr(choice, "__name__", "") for choice in choices)
    return next((NAMES[name] for name in names if name in NAMES), "")


def _words_below(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The words that stand below a name where it is assigned; Python itself forgets them."""
    body = ast.parse(inspect.getsource(module)).body
    for this, following in pairwise(body):
        match this, following:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str(words))):
                yield name, " ".join(words.split())


_MODELS: dict[str, type[BaseModel]] = {
    name: model
    for module in (
        *(envelope, parts, preferences, privacy, conflicts, consolidating, entities, learning, undoing, recalls),
        *(moving, events, commands, queries),
    )
    for name, model in vars(module).items()
    if isinstance(model, type) and issubclass(model, BaseModel)
}
NAMES = {
    **{name: doc(model) for name, model in _MODELS.items()},
    "Role": doc(parts.Role),
    "Fusion": doc(preferences.Fusion),
    "Kind": doc(parts.Kind),
    "Standing": doc(parts.Standing),
    **dict(_words_below(ids)),
    **dict(_words_below(parts)),
}
"""What a type means, by its name."""
