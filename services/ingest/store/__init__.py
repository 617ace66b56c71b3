"""ingest.db, the projection on which decisions rest."""

from services.ingest.store.changes import Aspect, Changes, Decision, Holder, Needs, Room
from services.ingest.store.database import Store, open_store

__all__ = ["Aspect", "Changes", "Decision", "Holder", "Needs", "Room", "Store", "open_store"]
