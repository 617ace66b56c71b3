"""Makes the fixtures of tests/support known to every test."""

from hypothesis import settings

pytest_plugins = ["tests.support.fixtures"]

settings.register_profile("memstream", deadline=None)  # how long an example takes is the machine's affair
settings.load_profile("memstream")
