"""What memstream can measure: the names of samples, with their labels."""

from functools import cache

from shared.runtime.metrics import REGISTRY


@cache
def samples() -> dict[str, set[str]]:
    """Every sample that memstream can give, with its labels."""
    found: dict[str, set[str]] = {}
    for metric in REGISTRY.collect():
        kinds = {"counter": ["_total"], "histogram": ["_bucket", "_count", "_sum"]}.get(metric.type, [""])
        found |= {metric.name + suffix: {"le"} if suffix == "_bucket" else set() for suffix in kinds}
    for collector in list(REGISTRY._collector_to_names):
        for name in REGISTRY._collector_to_names[collector]:
            if name in found:
                found[name] |= set(getattr(collector, "_labelnames", ()))
    return found
