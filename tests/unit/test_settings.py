"""A setting that is not allowed is named with its value; a variable that is no setting with the one that it is like."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic_settings import BaseSettings

from memstream.cli.known_settings import every_settings, unknown_settings
from memstream.cli.launching import import_all
from shared.contracts.errors import Misconfigured
from shared.runtime.settings import Settings
from tests.support.forks import printed


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("MEMSTREAM_"):
            monkeypatch.delenv(name)


def settings_of(name: str) -> type[Settings]:
    """Who reads a variable."""
    whole = name.partition("__")[0]
    return next(each for each in every_settings() if whole in map(each.variable, each.model_fields))


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("MEMSTREAM_INGEST_LANES", "many", "a valid integer"),
        ("MEMSTREAM_INGEST_SECRETS", "hide", "'mask', 'refuse' or 'keep'"),
        ("MEMSTREAM_RETRIEVER_FLUSH_S", "0", "greater than 0"),
        ("MEMSTREAM_RETRIEVER_RANKING__BETA", "-3", "greater than or equal to 0"),
        ("MEMSTREAM_LOG_JSON", "perhaps", "a valid boolean"),
        ("MEMSTREAM_MODEL_PRICES", "{cheap", "JSON"),
        ("MEMSTREAM_EMBEDDER_KIND", "minilmm", "'minilm', 'wordllama'"),
        ("MEMSTREAM_LLM_TEMPERATURE", "hot", "a valid number"),
        ("MEMSTREAM_GATEWAY_PORT", "70000", "less than or equal to 65535"),
        ("MEMSTREAM_CONSOLIDATOR_BY", "nobody", "'service' or 'agent'"),
        ("MEMSTREAM_MAINTENANCE_SWEEP_EVERY_S", "often", "a valid number"),
        ("MEMSTREAM_SERVER_SYNC_INTERVAL", "never", "match pattern"),
        ("MEMSTREAM_STREAMS_REPLICAS", "9", "less than or equal to 5"),
        ("MEMSTREAM_NER_PROVIDERS", '["guessing"]', "'patterns', 'spacy' or 'chat'"),
    ],
)
def test_a_value_that_is_not_allowed_is_named_with_its_setting_and_what_is(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, allowed: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured) as raised:
        settings_of(name)()
    assert raised.value.message.startswith(f"{name}")
    assert value.strip('["]') in raised.value.message
    assert allowed in raised.value.message


def test_what_is_wrong_with_several_settings_together_is_said_without_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSTREAM_SERVER_ROUTES", "a:6222")
    with pytest.raises(Misconfigured, match=r"^MEMSTREAM_SERVER_ROUTES needs MEMSTREAM_SERVER_NAME$"):
        settings_of("MEMSTREAM_SERVER_ROUTES")()


@pytest.mark.parametrize("name", ["MEMSTREAM_LLM_API_KEY", "MEMSTREAM_EMBEDDER_API_KEY", "MEMSTREAM_MCP_TOKEN"])
def test_a_secret_is_not_shown(name: str) -> None:
    with pytest.raises(Misconfigured) as raised:
        settings_of(name)(**{name.split("_", 2)[2].lower(): ["Grumblethorpe"]})
    assert "Grumblethorpe" not in raised.value.message
    assert name in raised.value.message


def test_a_variable_that_is_no_setting_is_named_with_the_one_that_it_is_like(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSTREAM_INGEST_LANE", "3")
    monkeypatch.setenv("MEMSTREAM_QUUX", "1")
    monkeypatch.setenv("MEMSTREAM_RETRIEVER_RANKING__BETA", "0.5")
    monkeypatch.setenv("MEMSTREAM_PASSWORD", "a bot's")
    monkeypatch.setenv("memstream_ingest_fetch", "8")
    first, second = unknown_settings()
    assert first.startswith("MEMSTREAM_INGEST_LANE is no setting; the most like it: MEMSTREAM_INGEST_LANES")
    assert second.startswith("MEMSTREAM_QUUX is no setting")


def test_every_class_of_settings_is_known() -> None:
    import_all()

    def below(kind: type[BaseSettings]) -> Iterator[type[BaseSettings]]:
        for each in kind.__subclasses__():
            yield each
            yield from below(each)

    ours = {each for each in below(BaseSettings) if not each.__module__.startswith("pydantic")}
    assert ours == {*every_settings(), Settings}


@pytest.mark.parametrize("command", [("up", "--port", "0"), ("run", "ingest"), ("status",), ("search", "tea"), ("init",)])
def test_every_command_names_the_setting_that_is_wrong(tmp_path: Path, command: tuple[str, ...]) -> None:
    environment = {**os.environ, "MEMSTREAM_LOG_JSON": "perhaps", "MEMSTREAM_DATA_DIR": str(tmp_path / "data")}
    said = printed("memstream", *command, environment=environment)
    assert said.code == 7
    assert said.err == ("error: MEMSTREAM_LOG_JSON is 'perhaps': Input should be a valid boolean, unable to interpret input\n")


@pytest.mark.parametrize("module", ["services.ingest", "services.gateway"])
def test_a_service_as_a_process_names_it_too(tmp_path: Path, module: str) -> None:
    environment = {**os.environ, "MEMSTREAM_LOG_JSON": "perhaps", "MEMSTREAM_DATA_DIR": str(tmp_path / "data")}
    said = printed(module, environment=environment)
    assert said.code == 7
    assert "MEMSTREAM_LOG_JSON is 'perhaps'" in said.out + said.err


def test_a_start_warns_of_what_is_no_setting_and_the_doctor_names_it(tmp_path: Path) -> None:
    environment = {**os.environ, "MEMSTREAM_INGEST_LANE": "3", "MEMSTREAM_DATA_DIR": str(tmp_path / "data")}
    started = printed("memstream", "run", "server", environment=environment)  # there is no memstream yet: it ends
    assert "setting.unknown" in started.err
    assert "the most like it: MEMSTREAM_INGEST_LANES" in started.err
    found = {
        each["name"]: each for each in printed("memstream", "doctor", "--json", environment=environment).document["checks"]
    }
    assert found["settings"]["ok"] is False
    assert "MEMSTREAM_INGEST_LANE is no setting" in found["settings"]["detail"]
