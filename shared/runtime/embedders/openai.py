"""Any endpoint that speaks OpenAI's embeddings API, through the openai SDK; the SDK waits and tries again, nobody else does.

Errors name the status and the endpoint's own code, never its message: that may quote the text.
Source: OpenAI's API reference, "Create embeddings": 8,192 tokens a text, 300,000 tokens a request, no empty text.
"""

import asyncio
from collections.abc import Sequence
from http import HTTPStatus

import openai
from openai.types import CreateEmbeddingResponse
from pydantic import SecretStr

from shared.contracts.errors import InputRefused, MemstreamError, Misconfigured, Unavailable
from shared.contracts.portions import portions
from shared.domain.arrays import np
from shared.runtime.embedders.port import EmbedderModel, Vectors, printable, unit_rows
from shared.runtime.spending import spent

_BATCH_TEXTS = 128
# A byte-level tokenizer never makes more tokens than there are bytes.
_BATCH_BYTES = 300_000
_TEXT_BYTES = 8_000
_OF_THE_INPUT = {HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY}
_PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS}


class OpenAIEmbedder:
    """One endpoint and model, over one pool of connections, for one event loop.

    A request is answered or fails within `timeout_s * (1 + retries)`, waits between the attempts included; they grow from
    half a second with jitter, or are what the endpoint asks for. Texts are cut to their first 8,000 bytes.
    `send_dimensions` is for endpoints that reject that parameter.
    """

    def __init__(
        self,
        *,
        model: str,
        dimensions: int,
        base_url: str,
        api_key: SecretStr | None,
        timeout_s: float = 10.0,
        retries: int = 2,
        send_dimensions: bool = True,
        purpose: str = "embedding",
    ) -> None:
        self.model = EmbedderModel(model, dimensions)
        self._deadline_s = timeout_s * (1 + retries)
        self._send_dimensions = send_dimensions
        self._purpose = purpose
        self._client = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=api_key.get_secret_value() if api_key else "none",  # the SDK wants one, many endpoints do not
            timeout=timeout_s,
            max_retries=retries,
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors as `Embedder.embed` defines them. One request at a time, of at most 128 texts; blank ones are not sent."""
        rows = np.zeros((len(texts), self.model.dimensions), np.float32)
        cut = [printable(text, most_bytes=_TEXT_BYTES) for text in texts]
        worded = [index for index, text in enumerate(cut) if text.strip()]
        for batch in portions(worded, lambda index: len(cut[index].encode()), most_weight=_BATCH_BYTES, most=_BATCH_TEXTS):
            rows[batch] = await self._request([cut[index] for index in batch])
        return unit_rows(rows)

    async def close(self) -> None:
        """Close the connections; the embedder cannot be used afterwards."""
        await self._client.close()

    async def _request(self, texts: list[str]) -> Vectors:
        try:
            async with asyncio.timeout(self._deadline_s):
                answer = await self._client.embeddings.create(
                    model=self.model.id,
                    input=texts,
                    dimensions=self.model.dimensions if self._send_dimensions else openai.omit,
                    encoding_format="float",  # base64, the SDK's default, is not understood everywhere
                )
        except (TimeoutError, openai.APIConnectionError) as error:
            raise Unavailable(f"The embeddings endpoint did not answer ({type(error).__name__}).") from None
        except openai.APIStatusError as error:
            raise _of_status(error.status_code, error.code) from None
        except (openai.APIError, ValueError) as error:
            raise _unexpected(type(error).__name__) from None
        tokens = getattr(getattr(answer, "usage", None), "prompt_tokens", None)
        if isinstance(tokens, int):
            spent(self._purpose, self.model.id, read=max(tokens, 0))
        return self._vectors(answer, len(texts))

    def _vectors(self, answer: CreateEmbeddingResponse, count: int) -> Vectors:
        """The vectors by their index: an endpoint may answer in any order."""
        try:
            by_index = sorted(answer.data, key=lambda item: item.index)
            indices = [item.index for item in by_index]
            rows = np.array([item.embedding for item in by_index], np.float32)
        except (AttributeError, TypeError, ValueError) as error:  # the SDK does not check what it was sent
            raise _unexpected(type(error).__name__) from None
        if indices != list(range(count)) or rows.ndim != 2 or not np.isfinite(rows).all():  # noqa: PLR2004 - a matrix
            raise _unexpected("not one vector of numbers a text")
        if rows.shape[1] != self.model.dimensions:
            raise Misconfigured(
                f"{self.model.id} gives {rows.shape[1]} dimensions, not {self.model.dimensions};"
                f" set MEMSTREAM_EMBEDDER_DIMENSIONS={rows.shape[1]}, and MEMSTREAM_EMBEDDER_SEND_DIMENSIONS=false if need be."
            )
        return rows


def _of_status(status: int, code: str | None) -> MemstreamError:
    passing = status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    told = f"The embeddings endpoint answered {status}{f' ({code})' if code else ''}"
    if passing:
        return Unavailable(f"{told}; it will be tried again.")
    if status in _OF_THE_INPUT:
        return InputRefused(f"{told}; a text may be at fault, or MEMSTREAM_EMBEDDER_MODEL, _DIMENSIONS or _SEND_DIMENSIONS.")
    return Misconfigured(f"{told}; check MEMSTREAM_EMBEDDER_BASE_URL, _API_KEY and _MODEL.")


def _unexpected(what: str) -> Misconfigured:
    return Misconfigured(
        f"The embeddings endpoint did not answer as OpenAI's API does ({what}); check MEMSTREAM_EMBEDDER_BASE_URL."
    )
