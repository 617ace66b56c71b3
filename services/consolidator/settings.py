"""Settings of the consolidator, `MEMSTREAM_CONSOLIDATOR_<NAME>`, and of its model, `MEMSTREAM_LLM_<NAME>`."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class ConsolidatorSettings(BaseSettings):
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


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


class LlmSettings(BaseSettings):
    """The settings of a model at an OpenAI-compatible endpoint; without a model's name the embedded rules learn."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_LLM_", frozen=True)

    model: str | None = Field(default=None, description="Name of the model; none: the embedded rules.")
    base_url: str | None = Field(default=None, description="Address of the endpoint; the SDK's own by default.")
    api_key: SecretStr | None = Field(default=None, description="Key for the endpoint.")
    temperature: Annotated[float | None, BeforeValidator(_none_if_empty)] = Field(
        default=0.0, ge=0, description="Sent with each request; empty: not sent, as reasoning models want it."
    )
    parameters: dict[str, JsonValue] = Field(
        default={},
        description='Whatever else is sent with each request, as JSON: `{"max_completion_tokens": 4000, "top_p": 0.9}`.',
    )
    answer_format: Literal["json_schema", "json_object", "text"] = Field(
        default="json_schema", description="How JSON is asked for; what the endpoint refuses is left out by itself."
    )
    asks_slots: bool = Field(
        default=True,
        description="Ask what facts state and supersede; small models do better without, and rules read it in their sentences.",
    )
    tokens_per_day: Annotated[int | None, BeforeValidator(_none_if_empty)] = Field(
        default=None,
        ge=1,
        description="Budget: when so many tokens are spent, learning waits until midnight, UTC; none: no budget.",
    )
    metrics_by_person: bool = Field(
        default=False, description="Label the metric of tokens with the keyed hash of the person and space."
    )
    timeout_s: float = Field(default=60.0, gt=0, description="Longest wait for one answer, in seconds.")
    max_retries: int = Field(default=2, ge=0, description="Tries more, after which the session stays pending.")
