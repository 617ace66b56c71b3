"""How many memories an embedder makes vectors of in a second: as they came, and those of like length together."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench._options import Findings, Options, run
from bench._result import amount
from bench._text import Writer
from services.maintenance.domain.lanes import by_length
from shared.runtime.embedders.factory import EmbedderSettings, make_embedder
from shared.runtime.embedders.port import Embedder

_BATCH = 32


async def measure(options: Options) -> Findings:
    """Turns of every length, in batches, each way in turn; the embedder is warm."""
    turns = options.size(2_000, 200)
    write = Writer("embedding")
    texts = [write.turn() for _ in range(turns)]
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        embedder = make_embedder(EmbedderSettings.model_validate({"kind": options.embedder}), models=Path(folder))
        if embedder is None:
            raise SystemExit("there is nothing to measure without an embedder")
        try:
            await embedder.embed(texts[:_BATCH])
            as_they_came = [texts[start : start + _BATCH] for start in range(0, turns, _BATCH)]
            alike = by_length([(len(text), text) for text in texts], _BATCH)
            rates = [(await _rate(embedder, as_they_came), await _rate(embedder, alike)) for _ in range(options.runs)]
        finally:
            await embedder.close()
    return Findings(
        rows=[
            amount(f"{turns:,} turns as they came", "/s", [first for first, _ in rates], samples=turns),
            amount(f"{turns:,} turns, those of like length together", "/s", [second for _, second in rates], samples=turns),
            amount("together, in times of as they came", "x", [second / first for first, second in rates]),
        ],
        notes=["The embedder alone, with its own threads: no log, no worklist. Texts are of the lengths of conversation."],
    )


async def _rate(embedder: Embedder, batches: Sequence[Sequence[str]]) -> float:
    began = time.perf_counter()
    for batch in batches:
        await embedder.embed(batch)
    return sum(map(len, batches)) / (time.perf_counter() - began)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("embedding", (__doc__ or "").strip(), measure, arguments)
