"""How long the page of `memzoo play` takes to its first picture: `python -m tests.benchmarks.play.first_picture`.

Of the bundled conversation with the seven, in Chromium, which has to be installed: as a file, and from a server while
the memories are still on their way. Milliseconds since the page was asked for; a machine that has other things to do
takes longer.
"""

import socket
import tempfile
import threading
from pathlib import Path
from statistics import median

import uvicorn

from memzoo.benchmarks import Transcript
from memzoo.benchmarks.play.page import page
from memzoo.benchmarks.play.server import Feed, application
from memzoo.benchmarks.transcripts import sample_transcripts
from tests.benchmarks.play.talks import play
from tests.browser import Browser, opened

_TIMES = 5


def main() -> None:
    """Measure both, and print the middle and the longest."""
    [talk] = sample_transcripts()
    with opened() as browser, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "play.html"
        file.write_text(page(play(talk, budget=1_000).lines()), encoding="utf-8")
        _tell("as a file", [_first_picture(browser, file.as_uri()) for _ in range(_TIMES)])
        _tell("from a server", [_served(browser, talk) for _ in range(_TIMES)])


def _served(browser: Browser, talk: Transcript) -> int:
    feed = Feed(play(talk, budget=1_000))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(application(feed, "token"), log_level="error", lifespan="off"))
        running = [threading.Thread(target=feed.run), threading.Thread(target=server.run, args=([listening],))]
        for one in running:
            one.start()
        taken = _first_picture(browser, f"http://127.0.0.1:{listening.getsockname()[1]}/?token=token")
        server.should_exit = True
        for one in running:
            one.join()
    return taken


def _first_picture(browser: Browser, address: str) -> int:
    return int(browser.tab(address).value("document.documentElement.dataset.drawn"))


def _tell(what: str, times: list[int]) -> None:
    print(f"{what}: median {median(times):.0f} ms, longest {max(times)} ms")  # noqa: T201


if __name__ == "__main__":
    main()
