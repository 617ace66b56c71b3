"""Whatever the gateway is sent, by any route or form, and whatever it shows of a person, takes steps in proportion to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from services.gateway.api import PREFIX
from tests.support.open_gateway import OpenGateway, routes
from tests.support.steps import steps_of
from tests.support.text_readers import UNITS, hostile

SHORT, LONG = 80, 800
"""Characters."""
MOST_TIMES = 14
"""Steps that ten times the text may take, as in `test_readers_are_linear`."""
FIXED_STEPS = 1_500
"""What a route does whatever it is sent."""
BAD_REQUEST = 400
UNANSWERED = {
    *(("GET", "/open/{sealed}"), ("POST", "/open/{sealed}"), ("GET", "/static/{mark}/{name}")),
    *(("GET", f"{PREFIX}/operations/{{operation_id}}"), ("POST", f"{PREFIX}/links"), ("POST", f"{PREFIX}/import")),
    *(("POST", "/conversations/undo"), ("GET", "/activity")),
}
"""What nothing can be made for here: a name of a file, a link that is good, an operation, an export, a kind of event."""


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenGateway]:
    started = OpenGateway(tmp_path_factory.mktemp("gateway"))
    yield started
    started.close()


@pytest.mark.parametrize("units", [("Anna Lind, ",), pytest.param(UNITS[::8], marks=pytest.mark.nightly)], ids=["one", "many"])
@pytest.mark.parametrize("route", routes(), ids=" ".join)
def test_ten_times_the_text_takes_a_route_ten_times_the_steps(
    gateway: OpenGateway, route: tuple[str, str], units: Sequence[str]
) -> None:
    answers = set()
    for unit in units:
        shorter, longer = hostile(unit, SHORT), hostile(unit, LONG)
        for few, many in zip(gateway.requests(route, shorter), gateway.requests(route, longer), strict=True):
            steps = steps_of(lambda few=few, text=shorter: answers.add(gateway.ask(few, text)))  # type: ignore[misc]
            most = MOST_TIMES * steps + FIXED_STEPS
            assert steps_of(lambda many=many, text=longer: gateway.ask(many, text)) <= most, (unit, many)  # type: ignore[misc]
    assert min(answers) < BAD_REQUEST or route in UNANSWERED
