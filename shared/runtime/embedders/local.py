"""Models that run in a thread of this process, loaded at first use, once for all embedders with the same key."""

import asyncio
import hashlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol
from weakref import WeakValueDictionary

from shared.contracts.errors import Misconfigured
from shared.domain.arrays import np
from shared.runtime.embedders.port import EmbedderModel, Vectors, unit_rows
from shared.runtime.embedders.text_batcher import TextBatcher
from shared.runtime.tasks import finished


class Encoder(Protocol):
    """A loaded model; safe to use from several threads."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """float32[n, the model's own width], in the texts' order, of any length; n is at least 1."""


class LocalEmbedder:
    """An embedder with a model in this process: the first `dimensions` numbers, at unit length. One call at a time.

    After `close` the next `embed` loads the model again.
    """

    def __init__(self, model: EmbedderModel, *, key: str, load: Callable[[], Encoder]) -> None:
        self.model = model
        self._key = key
        self._load = load
        self._encoder: Encoder | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embed")  # a question must not wait for one that writes
        self._batcher = TextBatcher(self._in_thread)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors as `Embedder.embed` defines them."""
        if not texts:
            return np.empty((0, self.model.dimensions), np.float32)
        return await self._batcher.vectors_of(texts)

    async def close(self) -> None:
        """Release the model; it is freed when no other embedder in this process uses it."""
        self._encoder = None

    async def _in_thread(self, texts: list[str]) -> Vectors:
        return await finished(asyncio.get_running_loop().run_in_executor(self._thread, self.embed_here, texts))

    def embed_here(self, texts: Sequence[str]) -> Vectors:
        """Vectors as `EmbedderHere.embed_here` defines them, of one text at least."""
        return unit_rows(self._loaded().encode(texts)[:, : self.model.dimensions])

    def _loaded(self) -> Encoder:
        encoder = self._encoder = self._encoder or _shared(self._key, self._load)
        return encoder


_loaded: WeakValueDictionary[str, Encoder] = WeakValueDictionary()
_loading = threading.Lock()


def _shared(key: str, load: Callable[[], Encoder]) -> Encoder:
    """The encoder with this key that is in use already, or a new one."""
    with _loading:
        encoder = _loaded.get(key)
        if encoder is None:
            encoder = _loaded[key] = load()
        return encoder


def check_sha256(path: Path, expected: str) -> Path:
    """Return the path. Raises Misconfigured if the file is missing or has another hash."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Misconfigured(f"{path.name} cannot be read ({error.strerror}); install its package again.") from error
    if found != expected:
        raise Misconfigured(f"{path.name} is not the file that it should be (sha256 {found[:16]}…); install its package again.")
    return path
