"""A model at an endpoint that speaks OpenAI's chat completions, asked in whatever way the endpoint accepts."""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import JsonValue, SecretStr

from shared.contracts.errors import MemstreamError, Misconfigured
from shared.domain.model_tokens import TokenUsage
from shared.runtime.chat_models.dialect import AnswerFormat, Complaint, Dialect
from shared.runtime.chat_models.errors import (
    AnswerInvalid,
    EndpointBusy,
    EndpointFailed,
    EndpointTimedOut,
    EndpointUnreachable,
    PageTooLong,
)
from shared.runtime.logs import log

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletion

_DEFAULT_URL = "https://api.openai.com/v1"
_NO_KEY = "none"  # the SDK insists on one; endpoints of one's own mostly do not
_BYTES_PER_TOKEN = 4
_REFUSALS = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.NOT_IMPLEMENTED}
_OURS = frozenset({"model", "messages", "response_format", "stream", "n", "tools"})


class Answered(NamedTuple):
    """What a model wrote."""

    text: str
    is_cut: bool  # at the most tokens that it may write
    is_refusal: bool
    usage: TokenUsage


class _Refused(Exception):
    def __init__(self, status: int, complaint: Complaint) -> None:
        super().__init__()
        self.status = status
        self.complaint = complaint


class ChatModel:
    """One model at one endpoint.

    A request is answered or fails within `timeout_s * (1 + max_retries)`, the SDK's waits between its tries included. Where the
    endpoint refuses a parameter or the form of the answer, it is asked again without; what it accepted is remembered.
    Raises Misconfigured where the extra is not installed, or where there is neither a key nor an endpoint of one's own.
    """

    def __init__(
        self,
        *,
        model: str,
        api_key: SecretStr | None,
        base_url: str | None,
        timeout_s: float,
        max_retries: int,
        parameters: Mapping[str, JsonValue],
        answer_format: AnswerFormat,
    ) -> None:
        if api_key is None and base_url is None:
            raise Misconfigured(
                "a model needs MEMSTREAM_LLM_API_KEY, or an endpoint that asks for none: MEMSTREAM_LLM_BASE_URL or --base-url"
            )
        if ours := sorted(_OURS & parameters.keys()):
            raise Misconfigured(f"MEMSTREAM_LLM_PARAMETERS must not hold {', '.join(ours)}")
        self.name = model
        self.dialect = Dialect(dict(parameters), answer_format)
        self._deadline_s = timeout_s * (1 + max_retries)
        self._client: openai.AsyncOpenAI = sdk().AsyncOpenAI(
            api_key=api_key.get_secret_value() if api_key else _NO_KEY,
            base_url=base_url or _DEFAULT_URL,
            timeout=timeout_s,
            max_retries=max_retries,
        )

    async def aclose(self) -> None:
        """Close the connections; the model cannot be asked afterwards."""
        await self._client.close()

    async def ask(self, system: str, user: str, *, name: str, schema: Mapping[str, Any]) -> Answered:
        """What the model answers, in JSON of this schema where it can. Raises Unavailable and Misconfigured."""
        dialect = self.dialect
        while True:
            messages = _messages(system, user, dialect.answer_format, schema)
            try:
                completion = await self._request(messages, dialect.body(name, schema))
            except _Refused as refused:
                dialect = _next(dialect, refused)
            else:
                if dialect != self.dialect:
                    log.warning(
                        "model.refuses", given_up=sorted(self.dialect.parameters.keys() - dialect.parameters.keys()),
                        answer_format=dialect.answer_format.value,
                    )  # fmt: skip
                    self.dialect = dialect
                return _answered(completion, messages)

    async def reply(self, messages: Sequence[dict[str, str]], **parameters: JsonValue) -> str:
        """The model's next message in a talk. Raises Unavailable and Misconfigured."""
        said = list(messages)
        try:
            return _answered(await self._request(said, {**self.dialect.parameters, **parameters}), said).text
        except _Refused as refused:
            raise EndpointFailed(f"the model's endpoint answered with HTTP {refused.status}") from None

    async def _request(self, messages: list[dict[str, str]], body: Mapping[str, Any]) -> ChatCompletion:
        library = sdk()
        try:
            async with asyncio.timeout(self._deadline_s):
                return await self._client.chat.completions.create(
                    model=self.name,
                    messages=messages,  # type: ignore[arg-type] # plain dictionaries, as they are sent
                    extra_body=dict(body),
                )
        except (TimeoutError, library.APITimeoutError):
            raise EndpointTimedOut from None  # the SDK's errors quote bodies, which may quote what was said: not chained
        except library.APIConnectionError:
            raise EndpointUnreachable from None
        except library.APIStatusError as error:
            raise _of_status(error.status_code, Complaint.of(error.body)) from None
        except (library.OpenAIError, ValueError):
            raise AnswerInvalid from None


def sdk() -> ModuleType:
    """Import the SDK at first use: it is an extra, and takes half a second that the embedded rules need not wait."""
    try:
        import openai  # noqa: PLC0415 - see above
    except ImportError as error:
        raise Misconfigured("a model is asked through the openai SDK: pip install memstream[openai]") from error
    logging.getLogger("openai").setLevel(logging.WARNING)  # at debug (OPENAI_LOG) it writes whole requests
    return openai


def _messages(system: str, user: str, answer_format: AnswerFormat, schema: Mapping[str, Any]) -> list[dict[str, str]]:
    """The messages; an endpoint that takes no schema is told it in words."""
    if answer_format is not AnswerFormat.JSON_SCHEMA:
        system = f"{system}\nAnswer with one JSON object of this schema, and with nothing else:\n{json.dumps(schema)}\n"
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _next(dialect: Dialect, refused: _Refused) -> Dialect:
    """How to ask after a refusal. Raises PageTooLong, or EndpointFailed where nothing is left to try."""
    complaint = refused.complaint
    if complaint.is_of_length and complaint.param not in dialect.parameters:
        raise PageTooLong from None
    other = dialect.without_refused(complaint)
    if other is None:
        raise EndpointFailed(f"the model's endpoint answered with HTTP {refused.status}") from None
    return other


def _of_status(status: int, complaint: Complaint) -> Exception:
    if status in _REFUSALS:
        return _Refused(status, complaint)
    return PageTooLong() if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else _failure(status)


def _failure(status: int) -> MemstreamError:
    match status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            return Misconfigured(f"the model's endpoint refused the API key (HTTP {status})")
        case HTTPStatus.NOT_FOUND:
            return Misconfigured("the model's endpoint knows no such model or address (HTTP 404)")
        case HTTPStatus.TOO_MANY_REQUESTS:
            return EndpointBusy()
        case _:
            return EndpointFailed(f"the model's endpoint answered with HTTP {status}")


def _answered(completion: ChatCompletion, messages: list[dict[str, str]]) -> Answered:
    try:
        choice = completion.choices[0]
        text = _text(choice.message.content)
        is_refusal = choice.finish_reason == "content_filter" or bool(choice.message.refusal)
        return Answered(text, choice.finish_reason == "length", is_refusal, _usage(completion, messages, text))
    except (AttributeError, TypeError, IndexError):  # the SDK does not check what it was sent
        raise AnswerInvalid from None


def _text(content: object) -> str:
    """The text of a message, which some endpoints send in parts."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict) and part.get("type") == "text")
    return content if isinstance(content, str) else ""


def _usage(completion: ChatCompletion, messages: list[dict[str, str]], text: str) -> TokenUsage:
    """The tokens as the endpoint counts them; where it does not say, a quarter of the bytes."""
    told = completion.usage
    prompt, written = getattr(told, "prompt_tokens", None), getattr(told, "completion_tokens", None)
    if not isinstance(prompt, int) or not isinstance(written, int):
        prompt, written = sum(_estimated(message["content"]) for message in messages), _estimated(text)
    return TokenUsage(max(prompt, 0), max(written, 0))


def _estimated(text: str) -> int:
    return math.ceil(len(text.encode(errors="replace")) / _BYTES_PER_TOKEN)
