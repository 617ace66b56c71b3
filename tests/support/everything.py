"""Imports memstream for those who fork from where this was imported, and rehearses what ingest rehearses at every start.

Not the adapters: their frameworks take longer to import than all the rest, and no process of memstream has any of them.
"""

import gc
import pkgutil
from importlib import import_module

import memstream
import services
import shared
from services.ingest.domain.policy import SHIPPED
from services.ingest.rehearsal import rehearse
from shared.contracts.contract import Contract
from tests.support.scopes import KEYS, T0

_ADAPTERS = "memstream.adapters"


def _build(contract: type[Contract]) -> None:
    contract.model_rebuild()
    for each in contract.__subclasses__():
        _build(each)


for package in (memstream, services, shared):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.startswith(_ADAPTERS) and not module.name.endswith("__main__"):
            import_module(module.name)

rehearse(KEYS.digester, SHIPPED, now=T0)
_build(Contract)

gc.collect()
gc.freeze()  # what is here stays: no fork has to look through it
