"""Decides of each message that a lane reads whether its bot or its person has sent too much. What services send never is.

It is decided once, before the log, by the moment at which the server took the message. A replay knows nothing of it.
"""

from services.ingest.domain.allowance import Allowance, Meter
from services.ingest.sent_message import SentMessage
from shared.contracts.command import Channel
from shared.contracts.errors import TooMany
from shared.domain.moments import moment


class Meters:
    """What each bot and each person has used of its allowance; shared by all lanes."""

    def __init__(self, *, bot: Allowance, person: Allowance) -> None:
        self._bots = Meter(bot)
        self._people = Meter(person)

    def admit(self, sent: SentMessage) -> TooMany | None:
        """Count a message; or say why it is too much, and count nothing."""
        if sent.subject.channel != Channel.SEND:
            return None
        now, size = moment(sent.delivery.timestamp_ns // 1_000), len(sent.delivery.data)
        metered: list[tuple[str, Meter, str]] = [("person", self._people, sent.scope)]
        if sent.bot:
            metered.append(("bot", self._bots, sent.bot))
        spent = [(whose, meter, sender, meter.after(sender, size, now)) for whose, meter, sender in metered]
        for whose, meter, _, used in spent:
            if kind := used.exceeds(meter.allowance):
                return TooMany(f"too many {kind} came of this {whose}; send it again later, and more slowly")
        for _, meter, sender, used in spent:
            meter.note(sender, used)
        return None


class Admission:
    """The verdicts on what a lane has read, each given once, however often the lane reads a message again."""

    def __init__(self, meters: Meters) -> None:
        self._meters = meters
        self._judged = 0
        self._refused: dict[int, TooMany] = {}

    def judge(self, sent: SentMessage) -> None:
        """Judge a message. Sequences come in ascending order, and again from an earlier one after an interruption."""
        if sent.delivery.sequence <= self._judged:
            return
        self._judged = sent.delivery.sequence
        if refusal := self._meters.admit(sent):
            self._refused[sent.delivery.sequence] = refusal

    def refusal(self, sent: SentMessage) -> TooMany | None:
        """Why a message is refused, if it is."""
        return self._refused.get(sent.delivery.sequence)

    def forget(self, through: int) -> None:
        """Forget the verdicts on what is decided."""
        if self._refused:
            self._refused = {sequence: refusal for sequence, refusal in self._refused.items() if sequence > through}
