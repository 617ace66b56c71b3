"""Records reflections: what memstream itself writes about a person's memories, as far as nothing of it was forgotten."""

from services.ingest.domain.ruling import Ruling
from services.ingest.domain.withholding import require_memory, stones_on
from shared.contracts.errors import Forgotten, UnknownMemory
from shared.contracts.reflecting import ReflectionRecorded, SaveReflection


def save_reflection(command: SaveReflection, ruling: Ruling) -> None:
    """Record a reflection, without the lines that tell what stays forgotten.

    Raises MemoryOff, Forgotten if no line is left, or UnknownMemory if a source is forgotten or held back: then it is to be
    written anew without it.
    """
    require_memory(ruling.state)
    known = ruling.state.memories
    if any(source not in known or known[source].held_back or known[source].kind.is_derived for source in command.source_ids):
        raise UnknownMemory
    recorded = ReflectionRecorded(
        memory_id=ruling.new_memory_id("ref"),
        text=_lines_left(command, ruling),
        source_ids=command.source_ids,
        made_by=command.made_by,
        renews=command.renews,
        tokens=command.tokens,
    )
    ruling.add(recorded, command.occurred_at)


def _lines_left(command: SaveReflection, ruling: Ruling) -> str:
    state, given = ruling.state, ruling.given
    if not state.privacy.is_any:
        return command.text
    lines = [line for line in command.text.splitlines() if line.strip()]
    told = (command.model_copy(update={"text": line}) for line in lines)
    left = [line for line, said in zip(lines, told, strict=True) if not stones_on(said, state, given, by_others=True)]
    if not left:
        raise Forgotten
    return "\n".join(left)
