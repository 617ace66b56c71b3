"""`python -m services.maintenance`: maintenance as a process of its own."""

from services.maintenance.app import build
from shared.runtime.service import main

if __name__ == "__main__":
    main(build)
