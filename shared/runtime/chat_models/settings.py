"""Settings of the chat model that services ask: `MEMSTREAM_LLM_<NAME>`."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue, SecretStr
from pydantic_settings import SettingsConfigDict

from shared.runtime.settings import Settings


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


class LlmSettings(Settings):
    """The settings of a model at an OpenAI-compatible endpoint; without a model's name the embedded rules do its work."""

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
