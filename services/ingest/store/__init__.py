"""ingest.db, the projection on which decisions rest."""

from services.ingest.store.changes import Aspect, Changes, Decision, Needs, Room
from services.ingest.store.database import Store

__all__ = ["Aspect", "Changes", "Decision", "Needs", "Room", "Store"]
