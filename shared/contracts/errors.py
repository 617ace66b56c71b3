"""Every error that memstream raises on purpose, and the one table that says what becomes of each.

The docstring of a class is its default message; its name, as `code`, is what travels over the wire and never changes.
"""

from dataclasses import dataclass
from enum import StrEnum
from errno import EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOSPC
from typing import ClassVar

from .contract import name_by_class


class MemstreamError(Exception):
    """Something went wrong inside memstream."""

    code: ClassVar[str] = "internal"
    """Of every other class its name."""

    def __init_subclass__(cls) -> None:
        name_by_class(cls, "code")

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())

    @property
    def message(self) -> str:
        """What happened and what to do about it, in one sentence for a person."""
        return str(self.args[0])


class Rejected(MemstreamError):
    """The input was refused; it is kept in the REJECTED stream with this reason."""


class InvalidToken(Rejected):
    """A space or user id is empty, too long, or not in canonical percent-encoding."""


class Malformed(Rejected):
    """The payload is not the JSON object that this subject expects."""


class UnknownType(Rejected):
    """No command or query has this name."""


class WrongChannel(Rejected):
    """This command is sent by services only; a bot cannot send it."""


class UnsupportedVersion(Rejected):
    """The payload has a version newer than this memstream; upgrade memstream, then send it again."""


class TooLarge(Rejected):
    """The payload or a text in it is larger than allowed; split it and send the parts."""


class TooMany(Rejected):
    """More messages or bytes came of this person or bot than the settings allow; send it again later, and more slowly."""


class Unauthenticated(Rejected):
    """Nobody is known by what this request bears; send a valid token, or open a new link."""


class NotPermitted(Rejected):
    """Whoever asks this may not do it; ask the operator for a token with the right."""


class IdReused(Rejected):
    """This message_id was used before for something else; give every message an id of its own."""


class Secret(Rejected):
    """A password, a card's number or another secret is not kept here; send the message again without it."""


class UnknownSession(Rejected):
    """No session with this id is known for this user."""


class UnknownMemory(Rejected):
    """No memory with this id is known for this user, or it was forgotten."""


class NotRecorded(MemstreamError):
    """Nothing was recorded, as the person wishes; the message is erased from where it was in transit."""


class Incognito(NotRecorded):
    """The session is incognito: nothing of it is kept."""


class MemoryOff(NotRecorded):
    """Memory is turned off for this person in this space; turn it on to remember."""


class NotThis(NotRecorded):
    """The person asked not to keep this; a setting says whether the bot's answer to it is kept."""


class Forgotten(NotRecorded):
    """This was forgotten on command; only saving it by hand brings it back."""


class ConfirmationNeeded(NotRecorded):
    """More may go than is surely meant: `forget_preview` shows all of it; send this again with its token as `confirm`."""


class UnknownConflict(Rejected):
    """No question with this id was asked; `conflicts` lists those that are open."""


class UnknownEntity(Rejected):
    """Nothing that is remembered mentions an entity with this id; `entities` lists those that there are."""


class SharingOff(Rejected):
    """The operator of this installation does not let spaces share with one another."""


class NoEvidence(Rejected):
    """No fact of this batch rests on what the user said in the turns that it names; say what they say, and name all of them."""


class UnknownRun(Rejected):
    """No consolidation run with this id recorded anything; `sessions` lists those that did."""


class NothingWaits(Rejected):
    """Nothing that this user had forgotten in chat waits to be erased, or not under this number: it cannot be taken back."""


class NotAFact(Rejected):
    """Only a fact can be corrected or confirmed; this memory is a turn of a conversation."""


class Superseded(Rejected):
    """A newer fact stands in the place of this one; the message names it."""


class NotFound(MemstreamError):
    """Nothing with this id is known for this space and user."""


class VersionConflict(MemstreamError):
    """The log holds newer events of this scope than the decision was based on."""


class Unavailable(MemstreamError):
    """The service or the broker did not answer in time; try again, with the same message_id."""


class NotConnected(Unavailable):
    """This client has no connection here; connect one where it is used."""


class DiskFull(Unavailable):
    """The disk is full, or takes no more; make room, and what waits goes on by itself."""

    errnos: ClassVar[frozenset[int]] = frozenset({ENOSPC, EDQUOT, EFBIG, EIO})
    """By which numbers the system says so."""


class FilesExhausted(DiskFull):
    """Too many files are open; raise the limit, and what waits goes on by itself."""

    errnos: ClassVar[frozenset[int]] = frozenset({EMFILE, ENFILE})


class NotCaughtUp(Unavailable):
    """The projection has not reached min_position within the time limit; try again."""


class Poison(MemstreamError):
    """An event in the log cannot be applied; it is quarantined when live and stops a rebuild."""


class EventsLost(MemstreamError):
    """The log misses events of a scope that no forgetting explains; restore it from a backup."""


class LogDiverged(MemstreamError):
    """The log is not the one that this projection was built from; restore the log, or rebuild the projection."""


class ProjectionDamaged(MemstreamError):
    """A file that is built from the log is damaged; run `memstream rebuild` for its projection."""


class OtherWriter(MemstreamError):
    """Another writer keeps appending to this lane's scopes; stop the second ingest."""


class NotInitialised(MemstreamError):
    """There is no memstream here yet; run `memstream init`, or `memstream up` on an empty data folder."""


class KeysMismatch(MemstreamError):
    """keys.toml does not belong to this log; put back the keys.toml that was made with it."""


class Misconfigured(MemstreamError):
    """A setting or the machine does not allow this; the message says which."""


class InputRefused(Misconfigured):
    """The model refuses what it was given: a text, or a setting; the message says which it may be."""


class Disposition(StrEnum):
    """What a consumer does with a message whose handling ended in an error."""

    DEAD_LETTER = "dead_letter"  # to REJECTED with the reason; the lane goes on
    ERASE = "erase"  # from SEND, without a trace; the lane goes on
    RETRY = "retry"  # again after a delay; nothing is acknowledged
    HALT = "halt"  # the lane or projection stops loudly


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an error means at each edge: HTTP status, bus disposition, exit code of the command line."""

    http_status: int
    disposition: Disposition
    exit_code: int


OUTCOMES: dict[type[MemstreamError], Outcome] = {
    InvalidToken: Outcome(422, Disposition.DEAD_LETTER, 3),
    Malformed: Outcome(422, Disposition.DEAD_LETTER, 3),
    UnknownType: Outcome(404, Disposition.DEAD_LETTER, 3),
    WrongChannel: Outcome(403, Disposition.DEAD_LETTER, 3),
    UnsupportedVersion: Outcome(422, Disposition.DEAD_LETTER, 3),
    TooLarge: Outcome(413, Disposition.DEAD_LETTER, 3),
    TooMany: Outcome(429, Disposition.DEAD_LETTER, 3),
    Unauthenticated: Outcome(401, Disposition.DEAD_LETTER, 3),
    NotPermitted: Outcome(403, Disposition.DEAD_LETTER, 3),
    IdReused: Outcome(409, Disposition.DEAD_LETTER, 3),
    Secret: Outcome(422, Disposition.DEAD_LETTER, 3),
    UnknownSession: Outcome(404, Disposition.DEAD_LETTER, 3),
    UnknownMemory: Outcome(404, Disposition.DEAD_LETTER, 3),
    UnknownConflict: Outcome(404, Disposition.DEAD_LETTER, 3),
    UnknownEntity: Outcome(404, Disposition.DEAD_LETTER, 3),
    SharingOff: Outcome(403, Disposition.DEAD_LETTER, 3),
    UnknownRun: Outcome(404, Disposition.DEAD_LETTER, 3),
    NothingWaits: Outcome(404, Disposition.DEAD_LETTER, 3),
    NoEvidence: Outcome(422, Disposition.DEAD_LETTER, 3),
    NotAFact: Outcome(422, Disposition.DEAD_LETTER, 3),
    Superseded: Outcome(409, Disposition.DEAD_LETTER, 3),
    Rejected: Outcome(422, Disposition.DEAD_LETTER, 3),
    Incognito: Outcome(200, Disposition.ERASE, 0),
    NotThis: Outcome(200, Disposition.ERASE, 0),
    MemoryOff: Outcome(409, Disposition.ERASE, 3),
    Forgotten: Outcome(409, Disposition.ERASE, 3),
    ConfirmationNeeded: Outcome(409, Disposition.ERASE, 3),
    NotRecorded: Outcome(200, Disposition.ERASE, 0),
    NotFound: Outcome(404, Disposition.DEAD_LETTER, 4),
    VersionConflict: Outcome(409, Disposition.RETRY, 5),
    NotConnected: Outcome(503, Disposition.RETRY, 5),
    NotCaughtUp: Outcome(503, Disposition.RETRY, 5),
    FilesExhausted: Outcome(503, Disposition.RETRY, 5),
    DiskFull: Outcome(503, Disposition.RETRY, 5),
    Unavailable: Outcome(503, Disposition.RETRY, 5),
    Poison: Outcome(500, Disposition.HALT, 6),
    EventsLost: Outcome(500, Disposition.HALT, 6),
    LogDiverged: Outcome(500, Disposition.HALT, 6),
    ProjectionDamaged: Outcome(500, Disposition.HALT, 6),
    OtherWriter: Outcome(500, Disposition.HALT, 6),
    NotInitialised: Outcome(503, Disposition.HALT, 7),
    KeysMismatch: Outcome(500, Disposition.HALT, 7),
    InputRefused: Outcome(500, Disposition.HALT, 7),
    Misconfigured: Outcome(500, Disposition.HALT, 7),
    MemstreamError: Outcome(500, Disposition.HALT, 1),
}
"""The one table of outcomes. A test asserts that every error class above has its row."""


ENDING = (EventsLost, LogDiverged, ProjectionDamaged, OtherWriter, NotInitialised, KeysMismatch, Misconfigured)
"""The errors that end a service: no message, event or item is to blame, and only a person can mend them."""


def outcome_of(error: MemstreamError) -> Outcome:
    """The row of the nearest class in the error's ancestry; there is always one."""
    return next(OUTCOMES[cls] for cls in type(error).__mro__ if cls in OUTCOMES)


def error_classes() -> dict[str, type[MemstreamError]]:
    """Every error class by its code."""
    return {cls.code: cls for cls in OUTCOMES}
