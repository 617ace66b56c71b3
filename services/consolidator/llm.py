"""Extracts facts with a model, at any endpoint that speaks OpenAI's chat completions with structured output.

What was said goes to that endpoint and nowhere else: no text is logged, and no error carries any.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field, SecretStr, ValidationError

from services.consolidator.domain.extraction import MOST_FACTS, SaidTurn
from services.consolidator.domain.kinds import FactTag
from services.consolidator.prompts import extract_v1 as prompt
from shared.contracts.commands import ExtractedFact
from shared.contracts.errors import MemstreamError, Misconfigured, Unavailable
from shared.contracts.parts import Origin, Role

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletion

_DEFAULT_URL = "https://api.openai.com/v1"
_NO_KEY = "none"  # the SDK insists on one; endpoints of one's own mostly do not
_LONGEST_FACT_CHARACTERS = 1_000
_MOST_SOURCES = 64


class ModelRefused(Unavailable):
    """The model refused to answer; the session stays pending."""


class AnswerTruncated(Unavailable):
    """The model's answer was cut off; allow it more tokens, or set fewer turns a page."""


class AnswerInvalid(Unavailable):
    """The model's answer is not the JSON that was asked for; the session stays pending."""


class EndpointTimedOut(Unavailable):
    """The model's endpoint did not answer in time; the session stays pending."""


class EndpointUnreachable(Unavailable):
    """The model's endpoint cannot be reached; the session stays pending."""


class EndpointBusy(Unavailable):
    """The model's endpoint takes no more requests for now; the session stays pending."""


class EndpointFailed(Unavailable):
    """The model's endpoint answered with an error; the session stays pending."""


class _StatedFact(BaseModel):
    text: str
    sources: list[int]
    kinds: list[str] = Field(default_factory=list)
    asked_to_remember: bool = False
    confidence: Annotated[float, Field(allow_inf_nan=False)] = 0.8


class _Answer(BaseModel):
    facts: list[_StatedFact]


class LlmExtractor:
    """Asks a model once for each page of turns, with temperature 0 and a strict schema.

    A page is answered or fails within `timeout_s * (1 + max_retries)`, the SDK's waits between its tries included.
    Raises Misconfigured where the extra is not installed, or where there is neither a key nor an endpoint of one's own.
    """

    def __init__(
        self,
        *,
        model: str,
        api_key: SecretStr | None = None,
        base_url: str | None = None,
        temperature: float = 0.0,
        timeout_s: float = 60.0,
        max_retries: int = 2,
    ) -> None:
        if api_key is None and base_url is None:
            raise Misconfigured("a model needs an API key, or the address of an endpoint that asks for none")
        self._model = model
        self._temperature = temperature
        self._deadline_s = timeout_s * (1 + max_retries)
        self._client: openai.AsyncOpenAI = _sdk().AsyncOpenAI(
            api_key=api_key.get_secret_value() if api_key else _NO_KEY,
            base_url=base_url or _DEFAULT_URL,
            timeout=timeout_s,
            max_retries=max_retries,
        )

    def origin(self, run_id: str) -> Origin:
        """Model, prompt version and parameters."""
        return Origin(
            extractor="llm",
            model=self._model,
            prompt=prompt.VERSION,
            parameters={"temperature": self._temperature},
            run_id=run_id,
        )

    async def extract(self, turns: Sequence[SaidTurn]) -> list[ExtractedFact]:
        """The facts that the model finds; it is not asked if the user said nothing. Raises Unavailable and Misconfigured."""
        if not any(turn.role is Role.USER for turn in turns):
            return []
        answer = _parsed(await self._ask(turns))
        found = (_fact(stated, turns) for stated in answer.facts)
        return [fact for fact in found if fact is not None][:MOST_FACTS]

    async def close(self) -> None:
        """Close the connections; the extractor cannot be used afterwards."""
        await self._client.close()

    async def _ask(self, turns: Sequence[SaidTurn]) -> ChatCompletion:
        sdk = _sdk()
        try:
            async with asyncio.timeout(self._deadline_s):
                return await self._client.chat.completions.create(
                    model=self._model,
                    temperature=self._temperature,
                    messages=[
                        {"role": "system", "content": prompt.SYSTEM},
                        {"role": "user", "content": prompt.user_message(turns)},
                    ],
                    response_format={
                        "type": "json_schema",
                        "json_schema": {"name": prompt.VERSION, "strict": True, "schema": prompt.SCHEMA},
                    },
                )
        except (TimeoutError, sdk.APITimeoutError):
            raise EndpointTimedOut from None  # the SDK's errors quote bodies, which may quote what was said: not chained
        except sdk.APIConnectionError:
            raise EndpointUnreachable from None
        except sdk.APIStatusError as error:
            raise _refusal(error.status_code) from None
        except (sdk.OpenAIError, ValueError):
            raise AnswerInvalid from None


def _sdk() -> ModuleType:
    """Import the SDK at first use: it is an extra, and takes half a second that the embedded rules need not wait."""
    try:
        import openai  # noqa: PLC0415 - see above
    except ImportError as error:
        raise Misconfigured("a model is asked through the openai SDK: pip install memstream[openai]") from error
    logging.getLogger("openai").setLevel(logging.WARNING)  # at debug (OPENAI_LOG) it writes whole requests
    return openai


def _refusal(status: int) -> MemstreamError:
    match status:
        case 401 | 403:
            return Misconfigured(f"the model's endpoint refused the API key (HTTP {status})")
        case 404:
            return Misconfigured("the model's endpoint knows no such model or address (HTTP 404)")
        case 429:
            return EndpointBusy()
        case _:
            return EndpointFailed(f"the model's endpoint answered with HTTP {status}")


def _parsed(completion: ChatCompletion) -> _Answer:
    try:
        choice = completion.choices[0]
        if choice.finish_reason == "length":
            raise AnswerTruncated
        if choice.finish_reason == "content_filter" or choice.message.refusal:
            raise ModelRefused
        return _Answer.model_validate_json(choice.message.content or "")
    except (ValidationError, AttributeError, TypeError, IndexError):  # the SDK does not check what it was sent
        raise AnswerInvalid from None  # pydantic's error quotes its input


def _fact(stated: _StatedFact, turns: Sequence[SaidTurn]) -> ExtractedFact | None:
    """The fact as a contract; None if it says nothing, or names none of the turns as its source."""
    text = " ".join(stated.text.split())
    cited = sorted({index for index in stated.sources if 1 <= index <= len(turns)})[:_MOST_SOURCES]
    if not cited or not 0 < len(text) <= _LONGEST_FACT_CHARACTERS:
        return None
    sources = [turns[index - 1] for index in cited]
    tags = [FactTag(kind) for kind in dict.fromkeys(stated.kinds) if kind in prompt.KINDS]
    return ExtractedFact(
        text=text,
        source_ids=tuple(turn.memory_id for turn in sources),
        tags=(*tags, *([FactTag.ASKED] if stated.asked_to_remember else [])),
        confidence=min(max(stated.confidence, 0.0), 1.0),
        occurred_at=max(turn.occurred_at for turn in sources),
    )
