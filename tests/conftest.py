"""Makes the fixtures of tests/support known to every test."""

from tests.support.examples import register_profiles

pytest_plugins = ["tests.support.fixtures"]

register_profiles()
