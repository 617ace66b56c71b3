"""The services, listed once: a new room is one line."""

SERVICES = {
    "ingest": "services.ingest",
    "retriever": "services.retriever",
    "maintenance": "services.maintenance",
    "consolidator": "services.consolidator",
    "feed": "services.feed",
    "gateway": "services.gateway",
}
"""Name to package. Each has `app.build`."""

GATEWAY = "gateway"

PROJECTIONS = {name: package for name, package in SERVICES.items() if name != GATEWAY}
"""Those that own a projection of the log; each has `rebuild.rebuild` and `rebuild.digests`."""

OF_SEVERAL_PROCESSES = {"ingest", "retriever"}
"""Services that may run as several processes of one data folder; these have `group.build_in_up` and `group.build_alone`."""
