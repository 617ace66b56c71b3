"""Erases from SEND what a crash left there although it must leave no text."""

from collections.abc import Sequence

from services.ingest.store import Store
from shared.contracts.ids import Slot
from shared.runtime.connection import Client
from shared.runtime.erasing import erase, sequences_of
from shared.runtime.sending import worded_subjects
from shared.runtime.topology import SEND


async def erase_left_over(client: Client, store: Store, slots: Sequence[Slot], *, after: int) -> None:
    """Erase the messages of SEND after a sequence that the log says are decided and that must leave no text.

    What lies before was erased when it was decided, and what was refused before it was: of a flood of these there is nothing to
    erase, which would take a hundredth of a second for each.
    """
    if doubtful := store.settled_without_their_words(after=after):
        there = await sequences_of(client, SEND, worded_subjects(slots), after=min(doubtful) - 1, through=max(doubtful))
        await erase(client, SEND, [sequence for sequence in there if sequence in doubtful])
