"""The one place that reads the environment: what every process needs to know.

Every setting is `MEMSTREAM_<NAME>`; each room adds its own with `MEMSTREAM_<ROOM>_<NAME>`.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_data_path
from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from shared.contracts.errors import Misconfigured
from shared.contracts.subjects import SLOTS
from shared.domain.parts import Part
from shared.runtime.datadir import DataDir
from shared.runtime.ports import LOOPBACK


class Settings(BaseSettings):
    """Settings of the environment.

    Raises Misconfigured where a value is not allowed, with the setting's name and the value, unless that is a secret.
    """

    def __init__(self, **given: Any) -> None:  # noqa: ANN401 - whatever a setting is
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise Misconfigured("; ".join(map(self._told, error.errors(include_url=False)))) from None
        except SettingsError as error:  # it says 'field "..."', and nothing else of it
            name = self.variable(re.findall(r'"(\w+)"', str(error))[0])
            raise Misconfigured(f"{name} is {os.environ.get(name)!r}: Input should be JSON") from None

    @classmethod
    def variable(cls, *place: str | int) -> str:
        """The name in the environment of a field, or of what is within it."""
        return (str(cls.model_config["env_prefix"]) + "__".join(map(str, place))).upper()

    @classmethod
    def _told(cls, problem: ErrorDetails) -> str:
        said = problem["msg"].removeprefix("Value error, ")
        if not (place := problem["loc"]):  # of all settings together, which may be secret
            return said
        is_secret = "Secret" in repr(cls.model_fields.get(str(place[0])))
        return f"{cls.variable(*place)} is {'…' if is_secret else repr(problem['input'])[:100]}: {said}"


class PartSettings(Settings):
    """The settings of a service of which several may run, each for a part of all people."""

    part: str | None = Field(
        default=None,
        pattern=r"^[1-9][0-9]?/[1-9][0-9]?$",
        description="Of several of this service, which part of all people this one has, such as `1/2`; it stands in for others"
        " that are not there. The same number of parts for each. None: it is the only one.",
    )

    @property
    def own_part(self) -> Part:
        """The part of all people that this process has. Raises Misconfigured where there is none such."""
        number, count = map(int, (self.part or "1/1").split("/"))
        if not number <= count <= SLOTS:
            name = self.variable("part")
            raise Misconfigured(f"{name} is {self.part}: the first number is one of the second, {SLOTS} at most")
        return Part(number - 1, count)


class RuntimeSettings(Settings):
    """Where the data lies and how to reach the server."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_", frozen=True)

    data_dir: Path = Field(
        default_factory=lambda: user_data_path("memstream", appauthor=False),
        description="The data folder; the platform's usual place by default.",
    )
    nats_url: str | None = Field(
        default=None,
        description="A NATS server of your own, or with commas between those of a cluster; the embedded one by default.",
    )
    host: str = Field(
        default=LOOPBACK,
        description="The address on which the embedded server listens, without TLS; 0.0.0.0: all of a network of its own.",
    )
    http_host: str = Field(
        default=LOOPBACK,
        description="The address of health, metrics and AsyncAPI, which ask for no password; 0.0.0.0: all.",
    )
    log_level: str = Field(default="info", description="debug, info, warning or error.")
    log_json: bool = Field(default=False, description="Log lines as JSON.")

    model_prices: dict[str, tuple[float, float]] = Field(
        default={},
        description="What a million tokens cost, read and written, by the model's name, as JSON:"
        ' `{"gpt-4o-mini": [0.15, 0.6]}`. For the metric of costs only.',
    )
    otel_endpoint: str | None = Field(
        default=None,
        description="Where traces are sent, by OTLP over HTTP, such as http://127.0.0.1:4318; none: nothing is traced.",
    )
    metrics_spaces: int = Field(
        default=20,
        ge=0,
        le=1_000,
        description="So many spaces have series of their own in metrics, by name; the others share `other`. 0: none has.",
    )

    chat_languages: str = Field(
        default="en,de,es,fr",
        description="In which languages a person may command the memory in chat, separated by commas: en, de, es, fr, or a file"
        " of your own, such as /etc/memstream/fr.toml. The same for every service.",
    )

    sharing: bool = Field(
        default=True,
        description="Whether a person may share a tag with another of their spaces. False: nobody can, and what was shared"
        " before is not read. The same for every service.",
    )

    @property
    def files(self) -> DataDir:
        """The files under the data folder."""
        return DataDir(self.data_dir.expanduser().absolute())


def child_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's environment for a child, with some variables set."""
    return {**os.environ, **extra}


def take_environment(environment: Mapping[str, str]) -> None:
    """Have this process see this environment and no other."""
    os.environ.clear()
    os.environ.update(environment)
