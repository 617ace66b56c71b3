"""Counts what requests to models take: tokens, and money where the operator says what a model costs."""

from collections.abc import Mapping
from typing import NamedTuple

from shared.runtime.bounded_labels import BoundedLabels
from shared.runtime.metrics import MODEL_COST, MODEL_TOKENS

_MILLION = 1_000_000
_PERSONS = BoundedLabels(1_000)


class ModelPrice(NamedTuple):
    """What a million tokens cost."""

    read: float
    written: float = 0.0


_prices: dict[str, ModelPrice] = {}


def know_prices(prices: Mapping[str, ModelPrice]) -> None:
    """Take these prices of models for what this process asks, from now on."""
    _prices.clear()
    _prices.update(prices)


def spent(purpose: str, model: str, *, read: int, written: int = 0, person: str = "") -> None:
    """Count the tokens of a request, and what they cost.

    cost = (read * price_read + written * price_written) / 1,000,000: with prices of 0.15 and 0.60, a request of 2,000 and 500
    tokens costs 0.0006.
    """
    label = _PERSONS(person) if person else ""
    for direction, count in (("read", read), ("written", written)):
        if count or direction == "read":
            MODEL_TOKENS.labels(purpose, direction, label).inc(count)
    if price := _prices.get(model):
        MODEL_COST.labels(purpose, model).inc((read * price.read + written * price.written) / _MILLION)
