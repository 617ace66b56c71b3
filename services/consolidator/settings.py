"""Settings of the consolidator: `MEMSTREAM_CONSOLIDATOR_<NAME>`."""

from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from shared.runtime.settings import Settings


class ConsolidatorSettings(Settings):
    """The settings of the consolidator, read once, in app.py."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_CONSOLIDATOR_", frozen=True)

    by: Literal["service", "agent"] = Field(
        default="service",
        description="Who learns from conversations; `agent`: one of yours, by its tools; sessions wait for it.",
    )
    parallel: int = Field(
        default=4, ge=1, le=64, description="Sessions of different people that are learned from at once; of each person one."
    )
    most_attempts: int = Field(
        default=8,
        ge=1,
        description="Failures that may be its own after which a session is set aside; `memstream sessions retry` tries again.",
    )
    known_facts: int = Field(
        default=20, ge=0, le=100, description="Facts known already, near to what is read, that a model is shown with each page."
    )
    page: int = Field(default=30, ge=1, le=200, description="Turns read, and given to the extractor, at a time.")
    retry_s: float = Field(default=30.0, gt=0, description="Pause after the first failure of a session; doubled for each more.")
    longest_retry_s: float = Field(default=3600.0, gt=0, description="Longest such pause.")
    longest_wait_s: float = Field(
        default=300.0, gt=0, description="Longest pause while the model's endpoint refuses key, model or address."
    )
    resend_s: float = Field(default=30.0, gt=0, description="A run whose events did not come is sent again after this.")
