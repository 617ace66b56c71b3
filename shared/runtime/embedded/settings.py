"""Settings of a server that memstream runs, and of the streams that `memstream init` makes."""

from __future__ import annotations

import re
from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from shared.contracts.addresses import addresses
from shared.runtime.settings import Settings
from shared.runtime.topology import Kept

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_LENGTH = r"always|[1-9][0-9]*(ms|s|m)"


class ServerSettings(Settings):
    """A server of a cluster, where it is one: `MEMSTREAM_SERVER_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_SERVER_", frozen=True)

    name: str | None = Field(
        default=None,
        description="The server's name in a cluster, such as n1; its streams lie in `nats/<name>`. None: it is alone.",
    )
    routes: str = Field(
        default="",
        description="Where all servers of the cluster listen for one another, with commas: `a:6222,b:6222,c:6222`.",
    )
    cluster_listen: str = Field(
        default="127.0.0.1:6222",
        description="Address and port on which it listens for the other servers, without TLS: for a network of their own.",
    )
    tags: str = Field(
        default="", description="What `MEMSTREAM_STREAMS_PLACEMENT_TAGS` chooses servers by, with commas: `zone:a`."
    )
    sync_interval: str = Field(
        default="always",
        pattern=_LENGTH,
        description="How often writes go to the disk. `always`: each before it is acknowledged. Else, such as `1s`, what was"
        " acknowledged outlives the end of a process, and the power cut of some of a cluster's servers, not of all at once.",
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.name is not None and not _NAME.fullmatch(self.name):
            msg = "a server's name has 1 to 32 of a-z, 0-9 and -, and begins with a letter or digit"
            raise ValueError(msg)
        if self.routes and self.name is None:
            msg = "MEMSTREAM_SERVER_ROUTES needs MEMSTREAM_SERVER_NAME"
            raise ValueError(msg)
        return self

    @property
    def route_addresses(self) -> list[str]:
        """Where the cluster's servers listen for one another."""
        return addresses(self.routes)

    @property
    def tag_list(self) -> list[str]:
        """The tags."""
        return addresses(self.tags)


ALONE = ServerSettings.model_construct()
"""A server that is in no cluster, whatever the environment says."""


class StreamSettings(Settings):
    """How streams are kept: `MEMSTREAM_STREAMS_<NAME>`. `memstream init` makes them so, and changes those that are there."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_STREAMS_", frozen=True)

    replicas: int | None = Field(
        default=None,
        ge=1,
        le=5,
        description="On how many servers of a cluster each stream lies: 3, or 5. None: 1 for new ones, others as they are.",
    )
    placement_cluster: str | None = Field(default=None, description="The cluster in which they lie, of a supercluster.")
    placement_tags: str = Field(default="", description="Tags that each server has on which they lie, with commas.")

    @property
    def kept(self) -> Kept:
        """These settings as the topology takes them."""
        return Kept(self.replicas, self.placement_cluster, tuple(addresses(self.placement_tags)))
