"""ingest.db, the projection that decisions are based on."""

from services.ingest.store.changes import CommandOutcome, ScopeChanges
from services.ingest.store.database import Store

__all__ = ["CommandOutcome", "ScopeChanges", "Store"]
