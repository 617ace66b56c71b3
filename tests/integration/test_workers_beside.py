"""The retriever of `up` with workers beside it: what it tells of itself is what one process would tell."""

from __future__ import annotations

import json

import pytest

from services.retriever.app import Retriever
from services.retriever.group import WorkersBeside
from services.retriever.settings import RetrieverSettings
from shared.runtime.service import Service, asgi_app
from tests.support.installations import Installation


def asked(service: Service) -> set[str]:
    """The subjects of the AsyncAPI document on which bots ask."""
    document = json.loads(asgi_app([service], "1").schema.to_specification().to_json())
    return {channel["address"] for channel in document["channels"].values() if "ask." in channel["address"]}


@pytest.mark.parametrize("count", [1, 2])
async def test_its_document_names_what_its_workers_answer(own_server: Installation, count: int) -> None:
    settings = RetrieverSettings()
    alone = Retriever(own_server.settings, settings, None)
    beside = WorkersBeside(own_server.settings, settings, count)
    assert asked(beside) == asked(alone)
    assert "ask.{space}.{user}.context" in asked(alone)
