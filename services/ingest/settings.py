"""Settings of ingest: `MEMSTREAM_INGEST_<NAME>`."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from services.ingest.domain.policy import Policy


class IngestSettings(BaseSettings):
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
    withhold_replies: bool = Field(
        default=True, description="Do not keep either what the bot answers to what its user asked not to keep."
    )

    @property
    def policy(self) -> Policy:
        """These settings as the immutable policy that rules take."""
        return Policy(
            soft_cap=self.soft_cap,
            pin_manual_saves=self.pin_manual_saves,
            tombstone=timedelta(hours=self.tombstone_hours),
            withholds_replies=self.withhold_replies,
        )
