"""`python -m services.retriever`: the retriever as a process of its own."""

from services.retriever.group import build_alone
from shared.runtime.service import main

if __name__ == "__main__":
    main(build_alone)
