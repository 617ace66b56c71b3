"""One page tells what several processes measured."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from shared.runtime.added_metrics import added_up


def page(*asked: str, waits: float, took: float) -> str:
    """What a process measures that answered these queries."""
    registry = CollectorRegistry()
    counter = Counter("asked", "Queries.", ["query"], registry=registry)
    for query in asked:
        counter.labels(query).inc()
    Gauge("waits", "What waits.", registry=registry).set(waits)
    Histogram("took_seconds", "Time.", buckets=(1,), registry=registry).observe(took)
    return generate_latest(registry).decode()


def samples(text: str) -> dict[tuple[str, str], float]:
    families = text_string_to_metric_families(text)
    return {
        (each.name, ",".join(each.labels.values())): each.value
        for family in families
        for each in family.samples
        if not each.name.endswith("_created")
    }


def test_counts_sums_and_buckets_of_all_are_added() -> None:
    found = samples(added_up([page("a", "b", waits=2, took=0.5), page("b", waits=3, took=4)]))
    assert found == {
        ("asked_total", "a"): 1,
        ("asked_total", "b"): 2,
        ("waits", ""): 5,
        ("took_seconds_bucket", "1.0"): 1,
        ("took_seconds_bucket", "+Inf"): 2,
        ("took_seconds_count", ""): 2,
        ("took_seconds_sum", ""): 4.5,
    }


def test_the_page_of_one_says_the_same() -> None:
    alone = page("a", waits=1, took=0.25)
    assert samples(added_up([alone, ""])) == samples(alone)


def test_of_when_something_was_first_counted_the_first_stays() -> None:
    pages = [f"# HELP a_total A.\n# TYPE a_total counter\na_total 1.0\na_created {moment}\n" for moment in (7.0, 9.0)]
    assert "a_created 7.0\n" in added_up(pages)
