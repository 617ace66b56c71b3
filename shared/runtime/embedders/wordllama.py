"""The light option: WordLlama, the mean of static word vectors, 256 numbers; 0.1 ms a text, 60 MB.

Its package has weights and tokenizer, and downloads what it does not find: here it is told where they are, and not to.
NOTICE: the package is under the MIT License; its vectors were trained from those of Llama 2.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from shared.contracts.errors import Misconfigured
from shared.runtime.embedders.local import LocalEmbedder, check_sha256
from shared.runtime.embedders.port import EmbedderModel, Vectors, printable

_WEIGHTS_SHA256 = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
_WIDTH = 256


def wordllama_embedder(*, dimensions: int = 256) -> LocalEmbedder:
    """The embedder of the extra `light`. Raises Misconfigured above 256 dimensions; missing files raise it at first use."""
    if dimensions > _WIDTH:
        raise Misconfigured(f"wordllama has {_WIDTH} dimensions, not {dimensions}; set MEMSTREAM_EMBEDDER_DIMENSIONS to fewer.")
    model = EmbedderModel("wordllama-l2-supercat", dimensions, _WEIGHTS_SHA256, is_english=True)
    return LocalEmbedder(model, key="wordllama", load=WordLlama)


class WordLlama:
    """The loaded vectors with their tokenizer."""

    def __init__(self) -> None:
        try:
            import wordllama  # noqa: PLC0415 - an optional extra
        except ImportError as error:
            raise Misconfigured("The embedder wordllama is not installed: pip install 'memstream[light]'") from error
        home = Path(wordllama.__file__).parent
        check_sha256(home / "weights" / f"l2_supercat_{_WIDTH}.safetensors", _WEIGHTS_SHA256)
        # 0.4.0 looks for its own tokenizer in `tokenizer`, and has it in `tokenizers`: found as a cache.
        loaded = wordllama.WordLlama.load(dim=_WIDTH, cache_dir=home, disable_download=True)
        # One at a time: a batch is padded to its longest text, which then takes as much memory as all of them.
        self._embed = partial(loaded.embed, batch_size=1)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """float32[n, 256]; zeros for a text without a word."""
        rows: Vectors = self._embed([printable(text) for text in texts])
        return rows
