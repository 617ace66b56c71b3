"""Settings of ingest: `MEMSTREAM_INGEST_<NAME>`."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.ingest.domain.allowance import Allowance, Amount
from services.ingest.domain.policy import Policy, Secrecy
from shared.domain.decay import SHIPPED as SHIPPED_DECAY
from shared.runtime.settings import PartSettings


class IngestSettings(PartSettings):
    """The settings of ingest, read once, in app.py."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_INGEST_", frozen=True)

    lanes: int = Field(default=4, ge=1, le=16, description="Slots are spread over this many lanes.")
    fetch: int = Field(default=32, ge=1, le=256, description="Commands a lane fetches at a time (two fetches in flight).")
    soft_cap: int = Field(
        default=200,
        ge=1,
        le=1_000_000,
        description="Most live facts of a person in a space; beyond it the weakest are retired. A person's own setting counts.",
    )
    pin_manual_saves: bool = Field(
        default=False, description="Pin what is saved by hand. A person's own setting counts before this one."
    )
    tombstone_hours: float = Field(
        default=24.0,
        ge=0,
        le=87_600,
        description="How long after a forgetting only a save by hand brings the value back; afterwards a new mention does.",
    )
    grace_minutes: float = Field(
        default=10.0,
        ge=0,
        le=10_080,
        description="How long what was forgotten in chat is only hidden, and can be taken back; 0: it is erased at once.",
    )
    withhold_replies: bool = Field(
        default=True, description="Do not keep either what the bot answers to what its user asked not to keep."
    )
    secrets: Secrecy = Field(
        default="mask",
        description="Passwords, PINs, numbers of cards, keys and tokens: `mask` records a mask in their place, `refuse` refuses"
        " the message, `keep` records them as they came.",
    )
    seal: bool = Field(
        default=False,
        description="Seal what is recorded of a person in the log with a key of theirs, which `forget-user` erases. Keys lie in"
        " `people.keys`, are in no backup of the log, and are copied by `memstream keys copy`.",
    )
    decay_rate: float = Field(
        default=SHIPPED_DECAY.rate,
        ge=0,
        le=100,
        description="How fast the confidence of a fact fades that nobody comes back to, a day: to exp(-rate) of what it was the"
        " day before. Of facts that are told from now on; 0: they do not fade.",
    )
    lasting_decay_rate: float = Field(
        default=SHIPPED_DECAY.lasting_rate,
        ge=0,
        le=100,
        description="Likewise of facts that state what holds for years: health, diet and allergies, family, names, how to"
        " answer. They never fade faster than others; 0: they do not fade.",
    )

    person_messages_per_s: float = Field(
        default=200, ge=0, description="Messages of a person in a space a second, with `burst_s`; 0: as many as come."
    )
    person_bytes_per_s: float = Field(default=1_048_576, ge=0, description="Bytes of a person in a space a second, likewise.")
    bot_messages_per_s: float = Field(
        default=2_000, ge=0, description="Messages of a bot that is limited to spaces a second, likewise."
    )
    bot_bytes_per_s: float = Field(default=16_777_216, ge=0, description="Bytes of such a bot a second, likewise.")
    burst_s: float = Field(
        default=120,
        gt=0,
        le=86_400,
        description="What was not sent in so many seconds may come at once; more is `too_many`.",
    )

    @property
    def person_allowance(self) -> Allowance:
        """What a person may send in a space."""
        return Allowance(Amount(self.person_messages_per_s, self.person_bytes_per_s), self.burst_s)

    @property
    def bot_allowance(self) -> Allowance:
        """What a bot may send."""
        return Allowance(Amount(self.bot_messages_per_s, self.bot_bytes_per_s), self.burst_s)

    @property
    def policy(self) -> Policy:
        """These settings as the immutable policy that rules take."""
        return Policy(
            soft_cap=self.soft_cap,
            pin_manual_saves=self.pin_manual_saves,
            tombstone=timedelta(hours=self.tombstone_hours),
            grace=timedelta(minutes=self.grace_minutes),
            withholds_replies=self.withhold_replies,
            secrets=self.secrets,
            decay_rate=self.decay_rate,
            lasting_decay_rate=self.lasting_decay_rate,
        )
