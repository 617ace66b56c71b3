"""Records recalls, so that echoes of them are recognised, and they can be explained."""

from services.ingest.domain.ruling import Ruling
from services.ingest.domain.withholding import require_memory
from shared.contracts.commands import RecordRecall
from shared.contracts.events import MemoriesRecalled


def record_recall(command: RecordRecall, ruling: Ruling) -> None:
    """Record a recall as it was sent. Raises MemoryOff or Incognito."""
    require_memory(ruling.state, session_id=command.session_id)
    said = {name: getattr(command, name) for name in MemoriesRecalled.model_fields}
    ruling.add(MemoriesRecalled.of_valid(**said), command.computed_at)
