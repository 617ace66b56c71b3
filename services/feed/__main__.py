"""`python -m services.feed`: the feed as a process of its own."""

from services.feed.app import build
from shared.runtime.service import main

if __name__ == "__main__":
    main(build)
