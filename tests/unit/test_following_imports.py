"""Services that leave the processor to an import look for one where another process decides it."""

import pytest

from services.consolidator.app import Consolidator
from services.ingest.app import Ingest
from services.ingest.group import IngestOfSeveral
from services.maintenance.app import Maintenance
from services.retriever.app import Retriever
from services.retriever.group import OneOfSeveral, WorkersBeside
from shared.runtime.service import FollowsImports


@pytest.mark.parametrize("service", [Consolidator, Maintenance, Retriever, OneOfSeveral])
def test_those_that_read_what_ingest_decides_look(service: type[object]) -> None:
    assert isinstance(object.__new__(service), FollowsImports)


@pytest.mark.parametrize("service", [Ingest, IngestOfSeveral, WorkersBeside])
def test_a_process_that_decides_imports_or_only_starts_others_does_not(service: type[object]) -> None:
    assert not isinstance(object.__new__(service), FollowsImports)
