"""What the strings of a contract tell of a person: marks on their types, by which forgetting finds them."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, TypeVar, Union, get_args, get_origin

from pydantic import AwareDatetime, BaseModel
from pydantic.fields import FieldInfo


class Content(Enum):
    """What a string tells. One without a mark counts as WORDS, so that what nobody thought of is erased and not kept."""

    WORDS = "words"  # what was said or is known: forgetting by words reads it
    TRACE = "trace"  # names, tags, vectors, the bot's JSON: erased with the memory that they are of
    SOURCE = "source"  # what a memory rests on: ids of memories, or references outside; erased with it
    PLAIN = "plain"  # ids, codes and keyed digests: nobody can read them


PERSONAL = frozenset({Content.WORDS, Content.TRACE, Content.SOURCE})
"""What must go when its memory is forgotten."""

Plain = Annotated[str, Content.PLAIN]
Trace = Annotated[str, Content.TRACE]
SourceId = Annotated[str, Content.SOURCE]

_Id = TypeVar("_Id")
_CONTAINERS = (tuple, list, set, frozenset, dict, Union, UnionType)
_WORDLESS = (int, float, Enum, NoneType, datetime, AwareDatetime)  # a bool is an int


@cache
def contents(model: type[BaseModel]) -> frozenset[Content]:
    """What the fields of a contract can hold."""
    return frozenset(content for field in model.model_fields.values() for content in _of_field(field))


@cache
def fields_with(model: type[BaseModel], content: Content) -> tuple[str, ...]:
    """The names of the fields that can hold this, in the contract's order."""
    return tuple(name for name, field in model.model_fields.items() if content in _of_field(field))


@cache
def fields_naming(model: type[BaseModel], identifier: NewType) -> tuple[str, ...]:
    """The names of the fields that hold an id of this type, or several."""
    return tuple(name for name, field in model.model_fields.items() if _names(field.annotation, identifier))


def ids_of(said: BaseModel, identifier: Callable[[str], _Id]) -> tuple[_Id, ...]:
    """The ids of this type that a message's own fields hold, each once."""
    found: dict[_Id, None] = {}
    for name in fields_naming(type(said), identifier):
        value = getattr(said, name)
        found |= dict.fromkeys(value) if isinstance(value, tuple) else {} if value is None else {value: None}
    return tuple(found)


def strings(said: BaseModel, content: Content) -> Iterator[str]:
    """Every string of this content in a message, in the order of its fields."""
    held = vars(said)
    for name in fields_with(type(said), content):
        value = held[name]
        if type(value) is str:  # most are
            yield value
        elif value:
            yield from _within(value, content)


def _within(value: object, content: Content) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, BaseModel):
        yield from strings(value, content)
    elif isinstance(value, Mapping):
        for pair in value.items():
            yield from _within(pair, content)
    elif isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from _within(each, content)


def _of_field(field: FieldInfo) -> frozenset[Content]:
    return _marked(field.metadata) or _of(field.annotation)


def _marked(metadata: object) -> frozenset[Content]:
    marks = metadata if isinstance(metadata, list | tuple) else ()
    return frozenset(mark for mark in marks if isinstance(mark, Content))


def _of(annotation: Any) -> frozenset[Content]:  # noqa: ANN401 - an annotation is any object
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _marked(inner[1:]) or _of(inner[0])
    if origin in _CONTAINERS:
        return frozenset(content for each in inner if each is not ... for content in _of(each))
    if isinstance(annotation, NewType):
        return frozenset({Content.PLAIN})
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return contents(annotation)
    if origin is Literal or (isinstance(annotation, type) and issubclass(annotation, _WORDLESS)):
        return frozenset()
    return frozenset({Content.WORDS})


def _names(annotation: Any, identifier: NewType) -> bool:  # noqa: ANN401 - an annotation is any object
    return annotation is identifier or any(_names(each, identifier) for each in get_args(annotation))
