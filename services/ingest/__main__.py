"""`python -m services.ingest`: ingest as a process of its own."""

from services.ingest.app import build
from shared.runtime.service import main

if __name__ == "__main__":
    main(build)
