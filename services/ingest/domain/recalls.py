"""Records recalls, so that echoes of them are recognised, and they can be explained."""

from services.ingest.domain.lacks import Needs
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.withholding import require_memory
from shared.contracts.commands import RecordRecall
from shared.contracts.errors import Forgotten, Incognito
from shared.contracts.events import MemoriesRecalled
from shared.contracts.recalls import Recall


def record_recall(command: RecordRecall, ruling: Ruling) -> None:
    """Record recalls as they were sent, without those of incognito sessions, or of what was forgotten meanwhile.

    Raises MemoryOff, or Incognito or Forgotten if none is left.
    """
    require_memory(ruling.state)
    if ruling.state.privacy.is_any:  # else only facts change, and of the others nothing is looked up
        ruling.state.require(Needs(memories=set(command.memories)))
    told = [
        recall
        for recall in command.recalls
        if not (recall.session_id is not None and ruling.state.is_incognito(recall.session_id))
    ]
    if not told:
        raise Incognito
    kept = [recall for recall in told if not _is_forgotten(recall, ruling)]
    if not kept:
        raise Forgotten
    first, *further = kept
    said = {name: getattr(first, name) for name in Recall.model_fields}
    ruling.add(MemoriesRecalled.of_valid(**said, further=tuple(further)), first.computed_at)


def _is_forgotten(recall: Recall, ruling: Ruling) -> bool:
    """True if all that it used is gone: it would name a person again who was forgotten since it was asked for."""
    known = ruling.state.memories
    return ruling.state.privacy.is_any and bool(recall.used) and not any(each in known for each in recall.used)
