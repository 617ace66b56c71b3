"""Imports every module of memstream, for those who fork from where this was imported."""

import gc
import pkgutil
from importlib import import_module

import memstream
import services
import shared

for package in (memstream, services, shared):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)

gc.collect()
gc.freeze()  # what is here stays: no fork has to look through it
