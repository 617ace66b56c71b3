"""What every message of memstream is made of: a frozen model that refuses what it does not know, and moments in UTC."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

MAX_NUMBER = 2**53 - 1
"""The largest number that bots may send: JavaScript knows no larger ones exactly, and SQLite none beyond 2**63 at all."""

_Model = TypeVar("_Model", bound="Contract")
_WORD_BEGINS = re.compile(r"(?<!^)(?=[A-Z])")


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is UTC:
        return moment
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise PydanticCustomError("malformed", "the moment lies outside the years 1 to 9999 in UTC") from error


def _within_utc(moment: datetime) -> datetime:
    _in_utc(moment)
    return moment


Local = Annotated[AwareDatetime, AfterValidator(_within_utc)]
"""A moment as its sender's clock showed it, with time zone: it tells of which day it was."""

Utc = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""A moment with a time zone, kept in UTC. A moment without a zone is refused: nobody could say when it was."""


class Contract(BaseModel):
    """A frozen message, built when it is first needed. Unknown fields are refused: a misspelt one is noticed and not lost."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_timedelta="float", allow_inf_nan=False, defer_build=True)

    @classmethod
    def of_valid(cls, **fields: Any) -> Self:  # noqa: ANN401 - each of its own type
        """A message made without validation: every field must be given, in the order of the contract, and be known to fit.

        Measured: 1.4 us instead of 4.7 for an envelope, 1.2 instead of 3.4 for an episode, and an import makes thousands.
        pydantic's own `model_construct` goes through defaults and aliases, and takes longer than validating.
        """
        return cls.of_fields(fields)

    @classmethod
    def of_fields(cls, fields: dict[str, Any]) -> Self:
        """A message made as by `of_valid` from a dictionary, which it keeps: nobody may change that afterwards."""
        made = cls.__new__(cls)
        put = object.__setattr__  # frozen
        put(made, "__dict__", fields)
        put(made, "__pydantic_fields_set__", set(fields))
        put(made, "__pydantic_extra__", None)
        put(made, "__pydantic_private__", None)
        return made

    def replaced(self, **fields: Any) -> Self:  # noqa: ANN401 - each of its own type
        """A copy with other values of some fields, which are known to fit; pydantic's `model_copy` takes four times as long."""
        return self.of_fields({**self.__dict__, **fields})


def wire_name(cls: type) -> str:
    """The name of a class as it travels: its words in lower case, with `_` between them.

    >>> wire_name(Contract)
    'contract'
    """
    return _WORD_BEGINS.sub("_", cls.__name__).lower()


def name_by_class(cls: type, attribute: str, *, without: str = "") -> None:
    """Set an attribute of a class to its wire name, unless the class itself says another, as one does that was renamed."""
    if attribute not in vars(cls):
        setattr(cls, attribute, wire_name(cls).removesuffix(without))


def declared(base: type[_Model], *modules: Mapping[str, object]) -> list[type[_Model]]:
    """The messages of a family in some modules' names, as they are defined: its classes that no other builds on."""
    classes = [each for module in modules for each in module.values() if isinstance(each, type) and issubclass(each, base)]
    return [each for each in dict.fromkeys(classes) if not each.__subclasses__()]
