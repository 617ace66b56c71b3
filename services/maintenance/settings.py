"""What an operator can set of maintenance: `MEMSTREAM_MAINTENANCE_<NAME>`."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class MaintenanceSettings(BaseSettings):
    """Read once, in app.py."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_MAINTENANCE_", frozen=True)

    batch: int = Field(default=16, ge=1, le=256, description="Texts embedded at a time.")
    batch_age_s: float = Field(default=0.05, ge=0, description="A batch that is not full waits at most this long, in seconds.")
    retry_s: float = Field(
        default=5.0, gt=0, description="Pause after the embedder failed, in seconds; doubled for each failure more."
    )
    longest_retry_s: float = Field(default=300.0, gt=0, description="Longest such pause.")
    resend_s: float = Field(default=30.0, gt=0, description="A vector whose event did not come is made again after this.")
