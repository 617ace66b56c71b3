"""A fact as a command tells it, whichever command."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.claims import Claims, claims_of
from services.ingest.domain.policy import Policy
from shared.contracts.commands import CorrectFact, ExtractedFact, RememberFact
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.parts import FactSlot, Origin
from shared.contracts.preferences import PersonSettings
from shared.domain.digests import Digester
from shared.language.statements.whole import recently_read, recorded, says_no_more
from shared.language.text.length import is_read


@dataclass(frozen=True, slots=True)
class ToldFact:
    """A fact that is told, with what is known about who told it and how."""

    text: str
    occurred_at: datetime
    session_id: SessionId | None = None
    message_id: MessageId | None = None
    source_ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    manually_saved: bool = True
    pinned: bool = False  # whatever the settings say
    confidence: float = 1.0
    importance: float | None = None  # as an extractor sees it
    origin: Origin | None = None
    slots: tuple[FactSlot, ...] = ()  # as an extractor sees them
    is_known_whole: bool = False  # as an extractor sees it
    is_known_to_say_more: bool = False  # likewise
    names: tuple[str, ...] = ()  # of the person, who may tell of themselves by name
    imported: bool = False

    @classmethod
    def by_hand(cls, command: RememberFact | CorrectFact, given: Circumstances) -> ToldFact:
        """A fact that a person or an agent asks to keep."""
        return cls(
            text=command.text,
            occurred_at=command.occurred_at or given.now,
            names=(given.user,),
            session_id=command.session_id,
            message_id=command.message_id,
            source_ids=command.source_ids,
            tags=command.tags,
            manually_saved=not isinstance(command, RememberFact) or command.manually_saved,
        )

    def told_at(self, now: datetime) -> datetime:
        """When the fact was told, and no later than now, however far the clock of who told it runs ahead."""
        return min(self.occurred_at, now)

    @property
    def stated(self) -> tuple[FactSlot, ...]:
        """What the fact states, as it was told; else as it is plainly read from the text, if that is read."""
        return self.slots or self._read()[0]

    @property
    def says_more(self) -> bool:
        """True if the fact says more than what it states, so that it never ends as a whole."""
        return self.is_known_to_say_more if self.slots else self._read()[1]

    def _read(self) -> tuple[tuple[FactSlot, ...], bool]:
        if not is_read(self.text):
            return (), False
        return recorded(recently_read(self.text, self.names, self.occurred_at.date()))

    @property
    def is_whole(self) -> bool:
        """Whether the fact says nothing else than what it states."""
        return self.is_known_whole or (is_read(self.text) and says_no_more(self.text, self.stated, self.names))

    def claims(self, digester: Digester) -> Claims:
        """What the fact states, as keyed hashes."""
        return claims_of(self.stated, digester, is_whole=self.is_whole, says_more=self.says_more, text=self.text)

    def pins(self, policy: Policy, settings: PersonSettings) -> bool:
        """True if the memory of this fact is to be pinned."""
        return self.pinned or (self.manually_saved and policy.pins_manual_saves(settings))

    @classmethod
    def extracted(cls, fact: ExtractedFact, session_id: SessionId, origin: Origin, *, imported: bool = False) -> ToldFact:
        """A fact that was learned from a conversation."""
        return cls(
            text=fact.text,
            occurred_at=fact.occurred_at,
            session_id=session_id,
            source_ids=fact.source_ids,
            tags=fact.tags,
            manually_saved=False,
            confidence=fact.confidence,
            importance=fact.importance,
            origin=origin,
            slots=fact.slots,
            is_known_whole=fact.is_whole,
            is_known_to_say_more=fact.says_more,
            imported=imported,
        )
