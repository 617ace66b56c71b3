"""The services, listed once: a new room is one line."""

SERVICES = {
    "ingest": "services.ingest",
    "retriever": "services.retriever",
    "maintenance": "services.maintenance",
    "consolidator": "services.consolidator",
    "feed": "services.feed",
}
"""Name to package. Each has `app.build`, and `rebuild.rebuild` and `rebuild.digests` where it owns a projection."""

OF_SEVERAL_PROCESSES = {"retriever"}
"""Services that may run as several processes of one data folder; these have `group.build_in_up` and `group.build_alone`."""
