"""What a form sends: fields by name, from one of our own forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, Request

from memstream.client import Decision
from services.gateway.page.visiting import Visit, has_stamp, visiting
from shared.contracts.access import Right
from shared.contracts.errors import Malformed, NotPermitted

_MOST_FIELDS = 64
_FORM = "application/x-www-form-urlencoded"
_DECIDED_WITHIN_S = 10.0
STAMP = "stamp"


@dataclass(frozen=True, slots=True)
class SentForm:
    """A form that this visitor was given, as it was sent."""

    visit: Visit
    fields: Mapping[str, Sequence[str]]

    def one(self, name: str, otherwise: str = "") -> str:
        """The value of a field, without blanks around it."""
        values = self.fields.get(name)
        return values[0].strip() if values else otherwise

    def needed(self, name: str) -> str:
        """The value of a field. Raises Malformed where it is empty."""
        if not (value := self.one(name)):
            raise Malformed
        return value

    async def decide(self, what: str, right: Right = Right.WRITE, **fields: object) -> Decision:
        """Have something decided for the person. Raises what it was refused with; NotPermitted."""
        person = self.visit.may(right)
        return await person.memories.decide(what, fields, timeout_s=_DECIDED_WITHIN_S)


async def fields_of(request: Request) -> Mapping[str, Sequence[str]]:
    """The fields of a form. Raises Malformed."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise Malformed
    try:
        return parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise Malformed from error


async def sent_form(request: Request) -> SentForm:
    """The form of somebody who is known. Raises Unauthenticated, NotPermitted where it is none of ours, Malformed."""
    visit = await visiting(request)
    fields = await fields_of(request)
    if not has_stamp(visit, "".join(fields.get(STAMP, ()))):
        raise NotPermitted
    return SentForm(visit, fields)


Sent = Annotated[SentForm, Depends(sent_form)]
"""A form that this visitor was given."""
