"""README's picture: the page of `memzoo play` about the bundled conversation, as Chromium draws it.

The picture says what it was drawn from, since browsers and fonts draw the same differently.
"""

import hashlib
import struct
import tempfile
import zlib
from pathlib import Path

from memzoo.benchmarks.play.command import sample_page
from tests.browser import CHROMIUM, Browser, Tab, opened

FILE = Path(__file__).parents[2] / "docs" / "play.png"
WIDTH, HEIGHT = 1280, 1290
_SHORTER = "for (const { style } of document.querySelectorAll('.view')) { style.maxHeight = '9rem'; } reveal(); 0"
_SHOWN = "[$('about'), $('talk'), $('memories'), document.querySelector('style')].map(one => one.outerHTML).join('')"
# A PNG is its signature, then chunks: length, name, content, checksum. The first one has the size, in 13 bytes.
_FIRST_CHUNKS, _NAME, _KEY = 8 + 4 + 4 + 13 + 4, b"tEXt", b"Drawn-from\0"


def take() -> None:
    """Take the picture anew if the page shows something else; without Chromium, it stays as it is."""
    if CHROMIUM is None:
        print("docs/play.png stays as it is: Chromium is not installed")  # noqa: T201
        return
    with tempfile.TemporaryDirectory() as folder, opened() as browser:
        page = Path(folder) / "play.html"
        sample_page(page)
        tab = opened_at_a_question(browser, page)
        if (source := shown_by(tab)) != source_of(FILE.read_bytes()):
            tab.value(_SHORTER)
            tab.picture(FILE)
            FILE.write_bytes(with_source(FILE.read_bytes(), source))


def opened_at_a_question(browser: Browser, page: Path) -> Tab:
    """The page as it opens."""
    return browser.tab(page.as_uri(), WIDTH, HEIGHT)


def shown_by(tab: Tab) -> str:
    """What the picture depends on, as a digest: what the page shows, and its style."""
    return hashlib.sha256(str(tab.value(_SHOWN)).encode()).hexdigest()


def source_of(png: bytes) -> str:
    """The digest of what a picture was drawn from, or nothing."""
    found = png.partition(_NAME + _KEY)[2][:64]
    return found.decode("ascii", errors="replace")


def with_source(png: bytes, source: str) -> bytes:
    """The picture, with the digest of what it was drawn from."""
    content = _KEY + source.encode()
    chunk = struct.pack(">I", len(content)) + _NAME + content + struct.pack(">I", zlib.crc32(_NAME + content))
    return png[:_FIRST_CHUNKS] + chunk + png[_FIRST_CHUNKS:]
