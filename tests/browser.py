"""Chromium for tests: pages are opened, used and looked at over the DevTools protocol, without further packages.

It comes with `apt-get install chromium`. Tests that need it are skipped where there is none, and say so.
"""

import base64
import itertools
import json
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect
from websockets.sync.connection import Connection

__all__ = ["CHROMIUM", "Browser", "Tab", "needs_chromium", "opened"]

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""The program, if it is installed."""

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="the page was not looked at: Chromium is not installed")

_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --remote-debugging-port=0 "
    "--process-per-site"  # else each tab has a process of its own
)
_SECONDS = 120


class Browser:
    """A running Chromium.

    Attributes:
        events: What it told by itself, oldest first.
    """

    def __init__(self, connection: Connection) -> None:
        self.events: list[dict[str, Any]] = []
        self._connection = connection
        self._numbers = itertools.count(1)

    def send(self, method: str, session: str = "", **parameters: Any) -> Any:
        """Have it do something, and give what comes of it."""
        message = {"id": next(self._numbers), "method": method, "params": parameters}
        self._connection.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while True:
            reply = json.loads(self._connection.recv(timeout=_SECONDS))
            if reply.get("id") == message["id"]:
                assert "error" not in reply, reply["error"]
                return reply["result"]
            self.events.append(reply)

    def tab(self, url: str, width: int = 1280, height: int = 900, scheme: str = "light") -> "Tab":
        """Open a page, in the colours of a scheme, and wait until it has drawn something."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        tab = Tab(self, self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in ("Page", "Network", "Runtime", "Log"):
            tab.send(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        tab.send("Emulation.setDeviceMetricsOverride", **size)
        tab.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        tab.send("Page.navigate", url=url)
        tab.wait("document.documentElement?.dataset.drawn")
        return tab


class Tab:
    """An open page."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session

    def send(self, method: str, **parameters: Any) -> Any:
        """Have the browser do something with the page."""
        return self._browser.send(method, self._session, **parameters)

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives, in the page; a promise is awaited."""
        found = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until an expression is true; a page that is on its way is asked again."""
        looking = (
            f"new Promise(done => {{ const look = () => ({expression}) ? done() : setTimeout(look, 20); look(); }})"
        )
        for _ in range(_SECONDS):
            try:
                self.value(looking)
            except AssertionError as error:
                # The page that was asked is gone: another one came in its place.
                if "context" not in str(error) and "navigated" not in str(error):
                    raise
            else:
                return

    def press(self, key: str, times: int = 1) -> None:
        """Press a key, such as "Tab" or "ArrowRight"."""
        codes = {"Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "Enter": 13, " ": 32}
        text = {"text": "\r"} if key == "Enter" else {"text": " "} if key == " " else {}
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                given = {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
                self.send("Input.dispatchKeyEvent", **given, **(text if kind == "keyDown" else {}))

    def write(self, text: str) -> None:
        """Type a text."""
        self.send("Input.insertText", text=text)

    def picture(self, file: Path) -> None:
        """Take a picture of what is seen, as PNG."""
        file.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def events(self, method: str) -> list[dict[str, Any]]:
        """What the browser told of the page."""
        own = [one for one in self._browser.events if one.get("sessionId") == self._session]
        return [one["params"] for one in own if one["method"] == method]


@contextmanager
def opened() -> Generator[Browser]:
    """Run Chromium while the block runs."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [str(CHROMIUM), *_FLAGS.split(), f"--user-data-dir={profile}", "about:blank"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as running:
            assert running.stderr is not None
            marked = (line for line in running.stderr if "listening on " in line)
            address = next(marked).partition("listening on ")[2].strip()
            try:
                with connect(address, max_size=None, proxy=None) as connection:
                    yield Browser(connection)
            finally:
                running.terminate()
                running.stderr.read()
