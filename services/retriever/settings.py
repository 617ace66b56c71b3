"""Settings of the retriever: `MEMSTREAM_RETRIEVER_<NAME>`, and `ranking.toml` in the data folder."""

import tomllib
from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_settings import SettingsConfigDict

from services.retriever.domain.weights import Operator
from shared.contracts.contract import Contract
from shared.contracts.errors import Misconfigured
from shared.contracts.preferences import RankingOptions
from shared.contracts.subjects import SLOTS
from shared.runtime.settings import PartSettings, Settings


class RetrieverSettings(PartSettings):
    """The settings from the environment; read once, in app.py."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_RETRIEVER_", env_nested_delimiter="__", frozen=True)

    open_files: int = Field(default=1_000, ge=1, description="Most files of users kept open; each takes 0.2 MB of memory.")
    pending_events: int = Field(default=5_000, ge=1, description="Events of closed files applied together at the latest.")
    flush_s: float = Field(
        default=1.0, gt=0, description="Events of closed files, and the checkpoint, wait at most this long, in seconds."
    )
    workers: int | None = Field(
        default=None,
        ge=0,
        le=SLOTS,
        description="Processes beside `memstream up` that answer, each for its share of the people; 0: `up` answers itself."
        " By default one for two cores, 4 at most, and none with fewer than 4 cores.",
    )
    ranking: RankingOptions = Field(
        default=RankingOptions(),
        description="How answers are ranked, as JSON, or one by one as in `MEMSTREAM_RETRIEVER_RANKING__BETA`;"
        " `ranking.toml` in the data folder comes before it.",
    )

    query_embedding_timeout_s: float = Field(
        default=1.0, gt=0, description="A question's vector is waited for at most this long, in seconds; then the words answer."
    )


class WorkerSettings(Settings):
    """What `memstream up` tells a worker that it starts: `MEMSTREAM_WORKER_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_WORKER_", frozen=True)

    is_beside_up: bool = Field(
        default=False, description="It ends with `up`, which stands in for the workers that are not there."
    )


class _Space(Contract):
    ranking: RankingOptions = Field(default_factory=RankingOptions)


class _RankingFile(Contract):
    ranking: RankingOptions = Field(default_factory=RankingOptions)
    spaces: dict[str, _Space] = Field(default_factory=dict)


def operator_ranking(path: Path, default: RankingOptions) -> Operator:
    """The operator's ranking: `[ranking]` and `[spaces."shop".ranking]` of this file, if it is there, before the default.

    Raises Misconfigured, with the place of what is wrong.
    """
    try:
        read = _RankingFile.model_validate(tomllib.loads(path.read_text("utf-8"))) if path.exists() else _RankingFile()
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:3]]
        raise Misconfigured(f"{path.name} does not fit: {'; '.join(problems)}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Misconfigured(f"{path.name} is no TOML: {error}") from error
    everywhere = {**default.model_dump(exclude_none=True), **read.ranking.model_dump(exclude_none=True)}
    spaces = {name: space.ranking for name, space in read.spaces.items()}
    return Operator(RankingOptions.model_validate(everywhere), spaces)
