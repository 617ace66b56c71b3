"""What an operator can set of the retriever: `MEMSTREAM_RETRIEVER_<NAME>`."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from services.retriever.domain.ranking import Weights


class RetrieverSettings(BaseSettings):
    """Read once, in app.py."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_RETRIEVER_", frozen=True)

    open_files: int = Field(default=256, ge=1, description="Most files of users kept open.")
    pending_events: int = Field(default=5_000, ge=1, description="Events of closed files applied together at the latest.")
    rebuild_events: int = Field(default=50_000, ge=1, description="The same in a rebuild: more is faster, and takes memory.")
    flush_s: float = Field(default=1.0, gt=0, description="Events of closed files wait at most this long, in seconds.")
    alpha: float = Field(default=1.0, ge=0, description="Weight of relevance.")
    beta: float = Field(default=0.1, ge=0, description="Weight of recency.")
    gamma: float = Field(default=0.1, ge=0, description="Weight of importance.")
    tau_days: float = Field(default=7.0, gt=0, description="Recency falls to 37 % after this many days.")

    query_embedding_timeout_s: float = Field(
        default=1.0, gt=0, description="A question's vector is waited for at most this long, in seconds; then the words answer."
    )

    @property
    def weights(self) -> Weights:
        """The ranking that these settings ask for."""
        return Weights(alpha=self.alpha, beta=self.beta, gamma=self.gamma, tau_days=self.tau_days)
