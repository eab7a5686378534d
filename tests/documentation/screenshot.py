"""README's picture: the page of `memzoo play` about the bundled conversation, as Chromium draws it."""

import tempfile
from pathlib import Path

from memzoo.benchmarks.play.command import sample_page
from tests.browser import CHROMIUM, opened

FILE = Path(__file__).parents[2] / "docs" / "play.png"
TURN, WIDTH, HEIGHT = 13, 1280, 1290
_SHORTER = "for (const { style } of document.querySelectorAll('.view')) { style.maxHeight = '9rem'; } reveal(); 0"


def take() -> None:
    """Take the picture anew; without Chromium, it stays as it is."""
    if CHROMIUM is None:
        print("docs/play.png stays as it is: Chromium is not installed")  # noqa: T201
        return
    with tempfile.TemporaryDirectory() as folder, opened() as browser:
        page = Path(folder) / "play.html"
        sample_page(page)
        tab = browser.tab(f"{page.as_uri()}#{TURN}", WIDTH, HEIGHT)
        tab.value(_SHORTER)
        tab.picture(FILE)
