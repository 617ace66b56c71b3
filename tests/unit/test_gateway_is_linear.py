"""Whatever the gateway is sent, by any route or form, and whatever it shows of a person, takes steps in proportion to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

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
EVERY_ROUTE = pytest.mark.parametrize("route", routes(), ids=" ".join)


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenGateway]:
    started = OpenGateway(tmp_path_factory.mktemp("gateway"))
    yield started
    started.close()


@EVERY_ROUTE
def test_ten_times_the_text_takes_a_route_ten_times_the_steps(gateway: OpenGateway, route: tuple[str, str]) -> None:
    for few, many in list(_pairs(gateway, route, "Anna Lind, "))[:2]:
        most = MOST_TIMES * few() + FIXED_STEPS  # first, as it loads what is loaded once
        assert many() <= most


@pytest.mark.nightly
@EVERY_ROUTE
def test_any_text_anywhere_takes_a_route_steps_in_proportion_to_it(gateway: OpenGateway, route: tuple[str, str]) -> None:
    gateway.answered.clear()
    for unit in UNITS[::8]:
        for few, many in _pairs(gateway, route, unit):
            most = MOST_TIMES * few() + FIXED_STEPS
            assert many() <= most, unit
    assert min(gateway.answered) < BAD_REQUEST  # what is only refused is not looked at


def _pairs(gateway: OpenGateway, route: tuple[str, str], unit: str) -> Iterator[tuple[Callable[[], int], Callable[[], int]]]:
    """What counts the steps that each request of the route takes, with a short text and with a long one."""
    shorter, longer = hostile(unit, SHORT), hostile(unit, LONG)
    for few, many in zip(gateway.requests(route, shorter), gateway.requests(route, longer), strict=True):
        yield partial(steps_of, partial(gateway.ask, few, shorter)), partial(steps_of, partial(gateway.ask, many, longer))
