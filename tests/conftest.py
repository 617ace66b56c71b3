"""Makes the fixtures of tests/support known to every test."""

import gc

import pytest

from tests.support.examples import register_profiles

pytest_plugins = ["tests.support.fixtures"]

register_profiles()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was collected stays: nothing is gained by looking through it again and again."""
    gc.collect()
    gc.freeze()
