"""Makes the fixtures of tests/support known to every test."""

import gc
import os

import pytest

from tests.support.examples import register_profiles
from tests.support.mixing import mixed

pytest_plugins = ["tests.support.fixtures"]

register_profiles()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that mostly wait are spread among files that only work, so that no core is idle; each file stays together."""
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    items[:] = [item for file in mixed(files) for item in files[file]]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was collected stays: nothing is gained by looking through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests of several processes wait more than they work."""
    return (os.cpu_count() or 1) + 1
