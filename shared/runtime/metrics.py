"""The metrics of all services, in one registry."""

from functools import partial

import prometheus_client
from prometheus_client import CollectorRegistry

REGISTRY = CollectorRegistry()
Counter = partial(prometheus_client.Counter, registry=REGISTRY)
Gauge = partial(prometheus_client.Gauge, registry=REGISTRY)
Histogram = partial(prometheus_client.Histogram, registry=REGISTRY)

PROJECTION_LAG = Gauge("memstream_projection_lag_events", "Events in the log not applied yet.", ["projection"])
EVENTS_APPLIED = Counter("memstream_events_applied", "Events applied.", ["projection"])
EVENTS_QUARANTINED = Counter("memstream_events_quarantined", "Events put aside: raise an alarm.", ["projection"])
EVENTS_MISSING = Gauge(
    "memstream_events_missing",
    "Numbers that the log lacks and no forgetting explains: raise an alarm.",
    ["projection"],
)
EVENTS_APPENDED = Counter("memstream_events_appended", "Events appended to the log.", ["type"])
COMMANDS_DECIDED = Counter("memstream_commands_decided", "Commands by what became of them.", ["what", "verdict"])
CAPACITY_EXCEEDED = Counter(
    "memstream_capacity_exceeded",
    "More facts than the soft cap, and none of them may be retired: raise an alarm.",
)
DEAD_LETTERS_LOST = Counter(
    "memstream_dead_letters_lost",
    "Refused messages that were not kept, as their bot had used its share; bot is * for those of all spaces.",
    ["bot"],
)
COMMAND_BACKLOG = Gauge("memstream_command_backlog", "Commands in SEND not decided yet.", ["lane"])
QUERY_SECONDS = Histogram(
    "memstream_query_seconds",
    "Time to answer a query.",
    ["query"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5),
)
CONTEXT_STAGE_SECONDS = Histogram(
    "memstream_context_stage_seconds",
    "Time of each stage of a context or a search: embed, vector, lexical, entity, time, cosines, times,"
    " rank, evidence, diversity, assemble.",
    ["stage"],
    buckets=(0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1),
)
GATEWAY_SECONDS = Histogram(
    "memstream_gateway_seconds",
    "Time to answer a request over HTTP: by its route as it is declared, its method, and 2xx to 5xx.",
    ["route", "method", "status"],
    buckets=(0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30),
)
EMBEDDING_BACKLOG = Gauge("memstream_embedding_backlog", "Memories without a vector.")
EMBEDDING_OLDEST_SECONDS = Gauge(
    "memstream_embedding_oldest_seconds", "Age of the oldest memory without a vector; 0 where there is none."
)
EMBEDDING_FAILURES = Counter("memstream_embedding_failures", "Batches that the embedder failed on.")
EMBEDDING_SECONDS = Histogram(
    "memstream_embedding_seconds",
    "From a memory's recording to its vector.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600),
)
SESSIONS_PENDING = Gauge("memstream_sessions_pending", "Completed sessions not learned from yet.")
CONSOLIDATIONS = Counter("memstream_consolidations", "Consolidation runs by their end.", ["end"])
SESSIONS_SET_ASIDE = Gauge("memstream_sessions_set_aside", "Completed sessions whose attempts are used up.")
FACTS_REFUSED = Counter(
    "memstream_facts_refused",
    "Facts of models and agents that were not learned, or parts of them, by the reason.",
    ["reason"],
)
MODEL_TOKENS = Counter(
    "memstream_model_tokens",
    "Tokens of requests to models: purpose is learning, embedding or question, direction is read or written, and person is"
    " empty or, where that is asked for, a keyed hash.",
    ["purpose", "direction", "person"],
)
MODEL_TOKENS_TODAY = Gauge("memstream_model_tokens_today", "Tokens spent since midnight, UTC.", ["purpose"])
SESSIONS_SWEPT = Counter("memstream_sessions_swept", "Silent sessions whose end was sent.", ["reason"])
RECALLS_LOST = Counter("memstream_recalls_lost", "Recall records that could not be sent.")
LEG_FAILURES = Counter("memstream_leg_failures", "Search legs that failed.", ["leg"])
