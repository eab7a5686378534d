"""A machine whose tiktoken has no vocabulary yet, and a proxy on loopback that serves it, or does not."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import tiktoken.load

# tiktoken asks by https, which a proxy cannot answer; so it asks the same host by http.
_BY_HTTP = """
import tiktoken.load

read_file = tiktoken.load.read_file
tiktoken.load.read_file = lambda path: read_file(path.replace("https://", "http://"))
"""
_NOBODY = "http://127.0.0.1:9"
# Under this name the installed folder has o200k_base.
_FILE = Path(os.environ.get("TIKTOKEN_CACHE_DIR", "")).absolute() / "fb374d419588a4632f3f557e76b4b70aebbca790"


class Vocabulary:
    """The vocabulary `o200k_base` as this process, and those that it starts, can have it.

    Attributes:
        served: How often it was downloaded.
    """

    def __init__(self, file: Path, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.served = 0
        self._folder, self._patch = folder, patch
        content = file.read_bytes()
        served = self

        class Proxy(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                served.served += 1
                self.send_response(200)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
                """Keep quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        site = folder / "site"
        site.mkdir()
        (site / "sitecustomize.py").write_text(_BY_HTTP)
        patch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
        patch.setenv("NO_PROXY", "127.0.0.1")
        patch.setattr("tiktoken.load.read_file", _read_by_http())
        patch.setattr("memzoo.memories.text.tokens._REST", 0)
        self.forget()
        self.serve()

    def serve(self, *, up: bool = True) -> None:
        """Let it be downloaded from now on, or no longer."""
        for name in ("HTTP_PROXY", "http_proxy"):
            self._patch.setenv(name, f"http://127.0.0.1:{self._server.server_port}" if up else _NOBODY)

    def forget(self) -> None:
        """Be another machine: nothing was downloaded, and nobody was warned."""
        shutil.rmtree(self._folder / "cache", ignore_errors=True)
        self._patch.setenv("TIKTOKEN_CACHE_DIR", str(self._folder / "cache"))
        self._patch.setattr("tiktoken.registry.ENCODINGS", {})
        for name, empty in (
            ("_encoders", dict[str, object]()),
            ("_missing", dict[str, float]()),
        ):
            self._patch.setattr(f"memzoo.memories.text.tokens.{name}", empty)

    def close(self) -> None:
        """Serve nothing any more."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _read_by_http() -> Callable[[str], bytes]:
    read_file = tiktoken.load.read_file

    def read(path: str) -> bytes:
        return read_file(path.replace("https://", "http://"))

    return read


@pytest.fixture
def vocabulary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vocabulary]:
    """A machine without a vocabulary, which can download it."""
    if not _FILE.is_file():
        pytest.skip("tiktoken's vocabularies are not installed (llama-index-core has them)")
    made = Vocabulary(_FILE, tmp_path_factory.mktemp("vocabulary"), monkeypatch)
    yield made
    made.close()
