"""The services, listed once: a new room is one line."""

SERVICES = {
    "ingest": "services.ingest",
    "retriever": "services.retriever",
    "maintenance": "services.maintenance",
    "consolidator": "services.consolidator",
}
"""Name to package. Each has `app.build`, and `rebuild.rebuild` and `rebuild.digests` where it owns a projection."""
