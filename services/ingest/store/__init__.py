"""ingest.db, the projection on which decisions rest."""

from services.ingest.store.changes import Changes, Decision, Needs
from services.ingest.store.database import Store, open_store

__all__ = ["Changes", "Decision", "Needs", "Store", "open_store"]
