"""Settings of maintenance: `MEMSTREAM_MAINTENANCE_<NAME>`."""

from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from shared.domain.decay import SHIPPED as SHIPPED_DECAY
from shared.runtime.settings import Settings


class MaintenanceSettings(Settings):
    """The settings of maintenance, read once, in app.py."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_MAINTENANCE_", frozen=True)

    batch: int = Field(default=32, ge=1, le=256, description="Texts embedded at a time.")
    batch_age_s: float = Field(default=0.05, ge=0, description="A batch that is not full waits at most this long, in seconds.")
    enrich_every_s: float = Field(
        default=5.0, gt=0, description="So often at most facts with few topics are looked at, of people with new ones; seconds."
    )
    retry_s: float = Field(
        default=5.0, gt=0, description="Pause after the embedder failed, in seconds; doubled for each failure more."
    )
    longest_retry_s: float = Field(default=300.0, gt=0, description="Longest such pause.")
    resend_s: float = Field(default=30.0, gt=0, description="What was sent and led to no event is sent again after this.")
    session_idle_minutes: float = Field(
        default=30.0,
        ge=0,
        description="A session this long without a turn is over, where its person set no other time; 0: never. Half an hour is"
        " the usual end of a visit; who comes back later goes on in the session, and only the new turns are learned from.",
    )
    session_settle_minutes: float = Field(
        default=1.0, ge=0, description="A session of the past, as imported, is over when nothing more came for this long."
    )
    sweep_every_s: float = Field(default=15.0, gt=0, description="How often idle sessions are looked for, in seconds.")
    decay_below: float = Field(
        default=SHIPPED_DECAY.retires_below,
        ge=0,
        lt=1,
        description="A fact whose confidence has faded below this is retired at night; `restore` brings it back. 0: none is.",
    )
    schedules: str = Field(
        default="",
        description="When jobs run, other than by themselves: `name=minute hour day month weekday` or `name=off`, separated"
        ' by semicolons, as "decay=0 5 * * *; reflection=off". `memstream jobs list` shows all; docs/jobs.md says more.',
    )
    time_zone: str = Field(default="UTC", description="The time zone of these times, such as Europe/Berlin.")
    clock: Literal["server", "own", "off"] = Field(
        default="server",
        description="server: the NATS server says when a job is due, or maintenance where it cannot; own: maintenance; off:"
        " jobs run by hand alone.",
    )
    job_minutes: float = Field(default=20.0, gt=0, description="A run of a job ends after this; the next one goes on.")
    job_items: int = Field(default=5_000, ge=1, description="A run of a job works on so many items at most.")
    job_ack_s: float = Field(
        default=30.0, ge=0.5, description="A run whose process died goes on in another after this, or after its restart."
    )
    ageing_days: float = Field(
        default=90.0, gt=0, description="A memory that was said or used so many days ago, and not since, may be rolled up."
    )
    ageing_score_below: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="Only one whose importance is lower than this, by the rules for facts; a plain statement has 0.3.",
    )
    ageing_most_recalls: int = Field(default=1, ge=0, description="Only one that was handed out at most so often.")
    ageing_cosine: float = Field(
        default=0.4, ge=0, le=1, description="Those are about one topic whose vectors are on average so similar."
    )
    ageing_least: int = Field(default=4, ge=2, le=64, description="A roll-up stands for at least so many memories.")
    ageing_most: int = Field(default=16, ge=2, le=64, description="Maximum memories per roll-up.")
    ageing_page: int = Field(default=1_000, ge=2, le=4_000, description="Memories of a person that are compared at a time.")
    retention_days: float = Field(
        default=180.0, ge=0, description="What a roll-up stands for is forgotten after so many days; 0: never."
    )
    retention_spaces: dict[str, float] = Field(
        default={}, description='Other days for single spaces, as JSON: `{"shop": 30, "clinic": 0}`.'
    )
