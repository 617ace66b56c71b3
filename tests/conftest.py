"""Makes the fixtures of tests/support known to every test."""

pytest_plugins = ["tests.support.fixtures"]
