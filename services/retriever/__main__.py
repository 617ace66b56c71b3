"""`python -m services.retriever`: the retriever as a process of its own."""

from __future__ import annotations

from services.retriever.app import build
from shared.runtime.service import main

if __name__ == "__main__":
    main(build)
