"""How often somebody may ask: a bucket each, which fills again by the minute."""

from collections import OrderedDict

from shared.contracts.errors import TooMany

_MOST_KNOWN = 10_000


class Rates:
    """Buckets by key. Those of the callers seen last are kept: it does not grow with how many there are."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and as of when

    def take(self, key: str, *, now_s: float) -> None:
        """Take one. Raises TooMany when nothing is left."""
        left, since = self._buckets.pop(key, (float(self._per_minute), now_s))
        left = min(left + (now_s - since) * self._per_minute / 60, self._per_minute)
        self._buckets[key] = (max(left - 1, 0.0) if left >= 1 else left, now_s)
        if len(self._buckets) > _MOST_KNOWN:
            self._buckets.popitem(last=False)
        if left < 1:
            raise TooMany(f"more than {self._per_minute} requests in a minute; wait a moment")
