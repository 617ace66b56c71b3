"""The metrics of all services, in one registry."""

from functools import partial
from typing import Self

import prometheus_client
from prometheus_client import CollectorRegistry
from prometheus_client.metrics import MetricWrapperBase

from shared.runtime.bounded_labels import OTHER

REGISTRY = CollectorRegistry()
_MOST_SERIES = 10_000
"""Of one metric: series stay for ever, and a scrape writes all of them. What bounds each label is said below; this holds where
that fails."""


class _Bounded(MetricWrapperBase):
    """A metric of which all series beyond the most share one."""

    def labels(self, *labelvalues: object, **labelkwargs: object) -> Self:
        if len(self._metrics) >= _MOST_SERIES and tuple(map(str, labelvalues)) not in self._metrics:
            return super().labels(*([OTHER] * len(self._labelnames)))
        return super().labels(*labelvalues, **labelkwargs)


class _Counter(_Bounded, prometheus_client.Counter):
    pass


class _Gauge(_Bounded, prometheus_client.Gauge):
    pass


class _Histogram(_Bounded, prometheus_client.Histogram):
    pass


Counter = partial(_Counter, registry=REGISTRY)
Gauge = partial(_Gauge, registry=REGISTRY)
Histogram = partial(_Histogram, registry=REGISTRY)

PROJECTION_LAG = Gauge("memstream_projection_lag_events", "Events in the log not applied yet.", ["projection"])
EVENTS_APPLIED = Counter("memstream_events_applied", "Events applied.", ["projection"])
EVENTS_QUARANTINED = Counter("memstream_events_quarantined", "Events put aside: raise an alarm.", ["projection"])
EVENTS_MISSING = Gauge(
    "memstream_events_missing",
    "Numbers that the log lacks and no forgetting explains: raise an alarm.",
    ["projection"],
)
WRITES_REFUSED = Counter(
    "memstream_writes_refused",
    "Tries to write or open a file that the machine refused, by code: the disk is full, or too many files are open.",
    ["code"],
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
    " put_right, succession, rank, evidence, diversity, assemble.",
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
REPLIES = Counter(
    "memstream_replies",
    "Bots' replies by what recalled memory did to them: quoted (a passage of it), used (its words, beyond those of the"
    " question), unused, or unrecalled (no context was handed out since the reply before). Hit rate: quoted and used of all but"
    " the last.",
    ["influence"],
)
FEEDBACK = Counter("memstream_feedback", "Recalled memories that somebody spoke about: helped or useless.", ["verdict"])
CONTEXTS = Counter(
    "memstream_contexts",
    "Contexts by what was in them: filled, empty, abstained (too weak evidence), withheld (memory is off, or incognito).",
    ["outcome"],
)
DEDUPE_SAVES = Counter("memstream_dedupe_saves", "Facts that were told again and counted, by what recognised them.", ["match"])
MERGES_REFUSED = Counter(
    "memstream_merges_refused", "Facts that were alike enough to be one, and were kept apart as their guards disagree."
)
FACTS_TRIMMED = Counter("memstream_facts_trimmed", "Facts retired by the soft cap, by space.", ["space"])
PINNED_TRIMMED = Counter(
    "memstream_pinned_trimmed", "Pinned facts that the soft cap retired: a fault of memstream's, raise an alarm.", ["space"]
)
FACTS_SUPERSEDED = Counter("memstream_facts_superseded", "Facts that newer ones took the place of, by the reason.", ["reason"])
FACTS_QUESTIONED = Counter(
    "memstream_facts_questioned", "Facts in doubt that a person is asked about, by the reason.", ["reason"]
)
USER_ACTIONS = Counter("memstream_user_actions", "What people did with their memory, by command or in chat.", ["action"])
ERASURES_PENDING = Gauge("memstream_erasures_pending", "People of whom something forgotten is still to be erased.")
ERASURES_OLDEST_SECONDS = Gauge(
    "memstream_erasures_oldest_seconds", "How long the oldest of them has been waiting in this process; 0 where none is."
)
QUERY_ERRORS = Counter("memstream_query_errors", "Queries that were answered with an error, by its code.", ["query", "code"])
MODEL_COST = Counter(
    "memstream_model_cost", "What requests to models cost, in the currency of MEMSTREAM_MODEL_PRICES.", ["purpose", "model"]
)
SPACE_EVENTS = Counter("memstream_space_events", "Events appended to the log, by space.", ["space"])
WORK_FAILURES = Counter(
    "memstream_work_failures", "Errors inside memstream that nobody foresaw and that ended nothing, by the work.", ["work"]
)
DEAD_LETTERS = Counter("memstream_dead_letters", "Refused messages that were kept in REJECTED, by the reason.", ["code"])
STREAM_BYTES = Gauge(
    "memstream_stream_bytes", "Size of a stream: MEMORY, the log; SEND, what is in transit; REJECTED.", ["stream"]
)
STREAM_LIMIT_BYTES = Gauge(
    "memstream_stream_limit_bytes", "Where a stream is full: SEND takes no more then, REJECTED drops the oldest.", ["stream"]
)
READY = Gauge("memstream_ready", "1: the service has caught up with the log; 0: it has not.", ["service"])
JOB_RUNS = Counter("memstream_job_runs", "Runs of the jobs of maintenance by their end: done, limit, failed.", ["job", "ended"])
JOB_SECONDS = Gauge("memstream_job_seconds", "How long the last run of a job took.", ["job"])
JOB_SUCCESS_TIME = Gauge(
    "memstream_job_success_timestamp_seconds", "When a job last ended without a failure, in seconds since 1970.", ["job"]
)
JOB_DUE_TIME = Gauge(
    "memstream_job_due_timestamp_seconds",
    "By its schedule, when a job is to run after its last success, in seconds since 1970; in the past: it is late.",
    ["job"],
)
MODEL_TOKENS_BUDGET = Gauge("memstream_model_tokens_budget", "Tokens that may be spent a day, if that is limited.", ["purpose"])
