"""Runs llama.cpp's server from the package xllamacpp, with the options that `tools.real_server` uses.

The package contains the compiled server. Run this module by a Python that has the package; memzoo's own environment
does not have it.
"""

import argparse
import importlib
import importlib.metadata
import pathlib
import signal

_POOLING = {"none": 0, "mean": 1, "cls": 2, "last": 3}


def main() -> None:
    """Serve until a signal ends this process."""
    options = _options()
    llama = importlib.import_module("xllamacpp")
    wanted = llama.CommonParams()
    wanted.model.path = options.model
    wanted.model_alias = {options.alias}
    wanted.hostnames, wanted.port = [options.host], options.port
    wanted.n_ctx, wanted.n_parallel = options.ctx_size, options.parallel
    wanted.cpuparams.n_threads, wanted.cpuparams_batch.n_threads = options.threads, options.threads_batch
    wanted.swa_full, wanted.embedding = options.swa_full, options.embeddings
    if options.chat_template_file:
        wanted.use_jinja, wanted.chat_template = True, options.chat_template_file.read_text(encoding="utf-8")
    if options.pooling:
        wanted.pooling_type = _POOLING[options.pooling]
    _server = llama.Server(wanted)  # which serves as long as it is held
    signal.sigwait({signal.SIGINT, signal.SIGTERM})


def _options() -> argparse.Namespace:
    """Parse the command line, with the option names of llama.cpp's own program."""
    parser = argparse.ArgumentParser(description=__doc__)
    version = f"version: {importlib.metadata.version('xllamacpp')} of xllamacpp"
    parser.add_argument("--version", action="version", version=version)
    parser.add_argument("--model", required=True)
    parser.add_argument("--alias", default="")
    parser.add_argument("--host", default="127.0.0.1")
    for name in ("--port", "--ctx-size"):
        parser.add_argument(name, type=int, required=True)
    for name in ("--parallel", "--threads", "--threads-batch"):
        parser.add_argument(name, type=int, default=1)
    for name in ("--swa-full", "--embeddings"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--chat-template-file", type=pathlib.Path)
    parser.add_argument("--pooling", choices=_POOLING)
    return parser.parse_args()


if __name__ == "__main__":
    main()
