"""ingest.db, the projection on which decisions rest."""

from services.ingest.store.changes import CommandOutcome, ScopeChanges
from services.ingest.store.database import Store

__all__ = ["CommandOutcome", "ScopeChanges", "Store"]
