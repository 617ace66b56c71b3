"""`python -m services.consolidator`: the consolidator as a process of its own."""

from services.consolidator.app import build
from shared.runtime.service import main

if __name__ == "__main__":
    main(build)
