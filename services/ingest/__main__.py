"""`python -m services.ingest`: ingest as a process of its own."""

from services.ingest.group import build_alone
from shared.runtime.service import main

if __name__ == "__main__":
    main(build_alone)
