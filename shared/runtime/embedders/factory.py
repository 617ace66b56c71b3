"""Makes the embedder that the settings ask for: `MEMSTREAM_EMBEDDER_<NAME>`."""

from pathlib import Path
from typing import Literal, assert_never

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from shared.contracts.errors import Misconfigured
from shared.runtime.embedders.hashing import hashing_embedder
from shared.runtime.embedders.minilm import minilm_embedder
from shared.runtime.embedders.minilm_graph import WIDTH as MINILM_WIDTH
from shared.runtime.embedders.port import Embedder
from shared.runtime.embedders.wordllama import wordllama_embedder
from shared.runtime.extensions import import_extensions
from shared.runtime.settings import Settings

_EXTENSIONS = {"minilm": ("onnxruntime",), "wordllama": ("wordllama",)}
_USUAL_DIMENSIONS = 256
_OPENAI_URL = "https://api.openai.com/v1"


class EmbedderSettings(Settings):
    """Read once, in the app.py of each service that embeds; all of them must name the same model."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_EMBEDDER_", frozen=True)

    kind: Literal["minilm", "wordllama", "hashing", "openai", "none"] = Field(
        default="minilm",
        description="minilm (embedded), wordllama (light, extra `light`), hashing (no model), openai (any endpoint), none.",
    )
    dimensions: int | None = Field(
        default=None, ge=16, le=4_096, description="Numbers in a vector (default: 384 of minilm, 256 of the others)."
    )
    threads: int = Field(default=1, ge=1, le=64, description="Threads that one text batch may use: minilm.")
    model: str = Field(default="text-embedding-3-large", min_length=1, description="The endpoint's model: openai.")
    base_url: str = Field(default=_OPENAI_URL, description="The endpoint, up to before `/embeddings`: openai.")
    api_key: SecretStr | None = Field(default=None, description="The endpoint's key, if it wants one: openai.")
    timeout_s: float = Field(default=10.0, gt=0, description="Longest wait for one attempt, in seconds: openai.")
    retries: int = Field(default=2, ge=0, le=10, description="Further attempts after a passing failure: openai.")
    mixes_people: bool = Field(
        default=False, description="One request may hold the texts of several people: fewer requests. openai."
    )
    send_dimensions: bool = Field(default=True, description="Ask the endpoint for `dimensions`; some reject that: openai.")

    @property
    def may_mix_people(self) -> bool:
        """True if one request may hold the texts of several people: a model in this process keeps nothing."""
        return self.mixes_people or self.kind != "openai"


def make_embedder(settings: EmbedderSettings, *, models: Path | None = None, purpose: str = "embedding") -> Embedder | None:
    """The embedder of these settings, not loaded yet; None for `none`. Raises Misconfigured if it is not installed.

    Call it in the main thread: it imports the extension of a model in this process.
    `models` is the folder for what a model in this process is made of, `purpose` what the metric of its tokens says.
    """
    import_extensions(*_EXTENSIONS.get(settings.kind, ()))
    match settings.kind:
        case "minilm":
            dimensions = settings.dimensions or MINILM_WIDTH
            return minilm_embedder(dimensions=dimensions, threads=settings.threads, models=models)
        case "wordllama":
            return wordllama_embedder(dimensions=settings.dimensions or _USUAL_DIMENSIONS)
        case "hashing":
            return hashing_embedder(dimensions=settings.dimensions or _USUAL_DIMENSIONS)
        case "openai":
            return _openai_embedder(settings, purpose)
        case "none":
            return None
        case never:
            assert_never(never)


def _openai_embedder(settings: EmbedderSettings, purpose: str) -> Embedder:
    try:
        from shared.runtime.embedders.openai import OpenAIEmbedder  # noqa: PLC0415 - an optional extra
    except ModuleNotFoundError as error:
        raise Misconfigured("The embedder openai is not installed: pip install 'memstream[openai]'") from error
    if settings.base_url == _OPENAI_URL and settings.api_key is None:
        raise Misconfigured("OpenAI wants a key: set MEMSTREAM_EMBEDDER_API_KEY, or _BASE_URL for another endpoint.")
    of_endpoint = settings.model_dump(exclude={"kind", "threads", "dimensions", "mixes_people"})
    return OpenAIEmbedder(dimensions=settings.dimensions or _USUAL_DIMENSIONS, purpose=purpose, **of_endpoint)


def make_query_embedder(settings: EmbedderSettings, *, models: Path | None = None) -> Embedder | None:
    """The embedder for questions, as `make_embedder` makes it.

    It tries once: whoever asks waits, and the words can answer alone.
    """
    return make_embedder(settings.model_copy(update={"retries": 0}), models=models, purpose="question")
