"""Runs llama.cpp's server as a separate program, on a loopback port."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx

__all__ = ["CONTEXT", "MODEL", "ServerError", "found", "served", "version"]

CONTEXT = 2048
"""The most tokens of a prompt and its answer together."""

MODEL = "gemma-3-270m"
"""The model's name in the server's answers; by default, the server would reveal the path of the file."""

_PATIENCE = 900.0


class ServerError(RuntimeError):
    """The server cannot be found, or does not start."""


def found(variable: str) -> Path:
    """Return the path of the file named by an environment variable.

    Raises:
        ServerError: The variable names no file.
    """
    given = os.environ.get(variable, "")
    place = shutil.which(given) or given
    if not place or not Path(place).is_file():
        raise ServerError(
            f"{variable} must name a file, not {given!r}; `make real-server` installs a server and a model, and sets "
            "LLAMA_SERVER and LLAMA_MODEL"
        )
    return Path(place)


def version(program: Path) -> str:
    """Return the server's description of its version."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    lines = (said.stdout + said.stderr).splitlines()
    return next((line.removeprefix("version:").strip() for line in lines if line.startswith("version:")), "unknown")


@contextmanager
def served(
    *, embeddings: bool = False, swa_full: bool = False, alias: str = MODEL, template: Path | None = None
) -> Generator[str]:
    """Run the server during the block, with one thread and a low priority; yield its base URL.

    Args:
        embeddings: Serve embeddings instead of answers.
        swa_full: Keep the whole last request in the cache, although the model looks back only a part of it.
        alias: The name that the server gives its model.
        template: A file with the chat template to use in place of the model's own.
    """
    program, model = found("LLAMA_SERVER"), found("LLAMA_MODEL")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    more = ["--embeddings", "--pooling", "mean"] if embeddings else []
    more += ["--swa-full"] if swa_full else []
    more += ["--chat-template-file", str(template)] if template else []
    sizes = ["--ctx-size", str(CONTEXT), "--parallel", "1", "--threads", "1", "--threads-batch", "1"]
    command = [program, "--model", model, "--alias", alias, "--host", "127.0.0.1", "--port", str(port), *sizes, *more]
    with tempfile.TemporaryFile("w+") as said:
        running = subprocess.Popen(
            [shutil.which("nice") or "env", *map(str, command)], stdout=said, stderr=subprocess.STDOUT
        )
        try:
            _wait_for(running, f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}/v1"
        except ServerError as error:
            said.seek(0)
            error.add_note(said.read()[-2000:])
            raise
        finally:
            running.terminate()
            running.wait()


def _wait_for(running: "subprocess.Popen[bytes]", address: str) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and running.poll() is None:
        try:
            if httpx.get(address, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise ServerError(f"the server did not get ready ({running.poll()=})")
