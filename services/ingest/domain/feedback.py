"""Records whether a memory that was recalled helped."""

from services.ingest.domain.keeping import known_memory
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.withholding import require_memory, tells_of_forgotten
from shared.contracts.feedback import FeedbackRecorded, RecordFeedback


def record_feedback(command: RecordFeedback, ruling: Ruling) -> None:
    """Record what somebody thinks of a memory, without a `recall_id` that tells what stays forgotten.

    Raises MemoryOff, or UnknownMemory.
    """
    require_memory(ruling.state)
    known_memory(command.memory_id, ruling.state)
    recall_id = command.recall_id
    if recall_id is not None and tells_of_forgotten(recall_id, ruling.state, ruling.given):
        recall_id = None
    ruling.add(FeedbackRecorded(memory_id=command.memory_id, helped=command.helped, recall_id=recall_id))
