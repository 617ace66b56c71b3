"""`python -m services.gateway`: the gateway as a process of its own."""

from services.gateway.app import build
from shared.runtime.service import main

if __name__ == "__main__":
    main(build)
