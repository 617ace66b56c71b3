"""A model at any endpoint that speaks OpenAI's chat completions, for a chat, and for answers that are scored."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from shared.contracts.errors import Misconfigured, Unavailable

if TYPE_CHECKING:
    import openai

_NO_KEY = "none"  # the SDK insists on one; endpoints of one's own mostly do not
_LONGEST_REPLY_TOKENS = 200
_REFUSALS = {401, 403, 404}


class Model:
    """Replies to messages. Raises Misconfigured where there is neither a key nor an endpoint, or the SDK is missing."""

    def __init__(
        self, name: str, *, base_url: str | None, api_key: SecretStr | None, timeout_s: float, temperature: float | None = None
    ) -> None:
        if base_url is None and api_key is None:
            raise Misconfigured("a model needs an endpoint: give --base-url, or set MEMSTREAM_LLM_API_KEY for OpenAI's own")
        try:
            import openai  # noqa: PLC0415 - an optional extra
        except ImportError as error:
            raise Misconfigured("a model is asked through the openai SDK: pip install 'memstream[openai]'") from error
        logging.getLogger("openai").setLevel(logging.WARNING)  # at debug (OPENAI_LOG) it writes whole requests
        self._sdk = openai
        self._name = name
        self._temperature = temperature
        key = api_key.get_secret_value() if api_key else _NO_KEY
        self._client: openai.AsyncOpenAI = openai.AsyncOpenAI(api_key=key, base_url=base_url, timeout=timeout_s)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def reply(self, system: str, message: str, *, seed: int = 0) -> str:
        """The model's short reply to one message. Raises what `answer` does."""
        messages = [{"role": "system", "content": system}, {"role": "user", "content": message}]
        return await self.answer(messages, seed=seed, max_tokens=_LONGEST_REPLY_TOKENS)

    async def answer(self, messages: Sequence[dict[str, str]], **parameters: Any) -> str:  # noqa: ANN401 - the endpoint's own
        """The model's next message. Raises Misconfigured where the endpoint refuses, Unavailable where it cannot be reached."""
        if self._temperature is not None:
            parameters["temperature"] = self._temperature
        try:
            completion = await self._client.chat.completions.create(
                model=self._name,
                messages=list(messages),  # type: ignore[arg-type] # plain dictionaries, as they are sent
                **parameters,
            )
        except self._sdk.APIStatusError as error:
            kind = Misconfigured if error.status_code in _REFUSALS else Unavailable
            raise kind(f"the model's endpoint answered with HTTP {error.status_code}") from None  # it may quote the memories
        except (self._sdk.OpenAIError, ValueError) as error:
            raise Unavailable(f"the model's endpoint gave no answer: {type(error).__name__}") from None
        return (completion.choices[0].message.content or "") if completion.choices else ""
