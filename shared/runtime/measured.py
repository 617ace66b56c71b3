"""What a process measures, told on the bus as numbers, for whoever shows an operator how it goes."""

from collections.abc import Mapping, Sequence
from typing import Any

from faststream.nats import NatsBroker
from prometheus_client import CollectorRegistry

from shared.runtime.ids import new_token
from shared.runtime.metrics import REGISTRY
from shared.runtime.tasks import in_thread

Measured = Mapping[str, float]
"""The value of each sample, by `sample_name` and its labels."""

PROCESS = new_token()
"""Names this process: several services may share one, and each would tell the same."""

_PREFIX = "memstream_"
_SINCE = "_created"
_NAMING = frozenset({"bot", "person"})
"""Labels that name somebody: what is told has their sum."""


def measured(registry: CollectorRegistry = REGISTRY) -> dict[str, float]:
    """What is measured here, added up over whose it is; without a name of anybody's. Spaces have the names that labels have."""
    values: dict[str, float] = {}
    for family in registry.collect():
        for sample in family.samples if family.name.startswith(_PREFIX) else ():
            if not sample.name.endswith(_SINCE):
                key = sample_key(sample.name, {k: v for k, v in sample.labels.items() if k not in _NAMING})
                values[key] = values.get(key, 0.0) + sample.value
    return values


def sample_key(name: str, labels: Mapping[str, str]) -> str:
    """How a sample is named.

    >>> sample_key("memstream_contexts_total", {"outcome": "empty"}), sample_key("memstream_recalls_lost_total", {})
    ('memstream_contexts_total{outcome=empty}', 'memstream_recalls_lost_total')
    """
    told = ",".join(f"{label}={value}" for label, value in sorted(labels.items()))
    return f"{name}{{{told}}}" if told else name


def told_by(processes: Sequence[tuple[str, Measured]]) -> dict[str, Any]:
    """The answer: what each process measures."""
    return {"processes": [{"process": process, "samples": samples} for process, samples in processes]}


def answer_measured(broker: NatsBroker, service: str) -> None:
    """Answer on `admin.<service>.measured`."""

    async def measured_here() -> dict[str, Any]:
        """What this process measures, as numbers."""
        return told_by([(PROCESS, await in_thread(measured))])

    broker.subscriber(f"admin.{service}.measured")(measured_here)
