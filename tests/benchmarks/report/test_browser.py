"""The page in a browser: nothing overflows or overlaps, on a phone and on a screen, in light and in dark.

Needs Chromium, which comes with `apt-get install chromium`; it is skipped where there is none.
"""

import html
import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memzoo.benchmarks import Comparison
from memzoo.benchmarks.report.pages import page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDTHS = (400, 1280)
SCHEMES = {"dark": 0, "light": 1}

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the page was not looked at: Chromium is not installed")


def look(text: str, folder: Path, scheme: str) -> dict[int, dict[str, Any]]:
    """Open a page in frames of all widths; return what the probe found, by width."""
    (folder / "page.html").write_text(text, encoding="utf-8")
    frames = "".join(
        f'<iframe src="page.html" style="width:{width}px;height:900px;border:0"></iframe>' for width in WIDTHS
    )
    probe = Path(__file__).with_name("probe.js").read_text(encoding="utf-8")
    outer = f"<!DOCTYPE html><meta name=color-scheme content='light dark'>{frames}<pre id=found></pre>"
    (folder / "outer.html").write_text(f"{outer}<script>onload = () => {{{probe}}}</script>", encoding="utf-8")
    command = [
        *(str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
        *("--allow-file-access-from-files", f"--user-data-dir={folder / 'profile'}", "--window-size=1400,1000"),
        *(f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", "--virtual-time-budget=20000", "--dump-dom"),
        (folder / "outer.html").as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=200)
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr
    return {one["width"]: one for one in json.loads(html.unescape(found[1]))}


@pytest.fixture(scope="module", params=SCHEMES)
def seen(request: pytest.FixtureRequest, comparison: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the browser found: the scheme, and by width what was there and what happened."""
    text = page(comparison, datetime(2026, 11, 22, tzinfo=UTC))
    return request.param, look(text, tmp_path_factory.mktemp("page"), request.param)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("state", ["closed", "opened"])
def test_nothing_overflows_overlaps_or_is_hard_to_read(seen: Any, width: int, state: str) -> None:
    """Texts of the page and of its charts, in the colours of the reader, with and without an open question."""
    scheme, found = seen
    assert found[width]["used"]["dark"] is (scheme == "dark")
    assert found[width][state]["faults"] == []
    assert found[width][state]["texts"] > 300
    assert found[width][state]["charts"] == 3


@pytest.mark.parametrize("width", WIDTHS)
def test_questions_can_be_sorted_filtered_and_opened(seen: Any, width: int) -> None:
    """The script works under the page's own policy; evidence is marked, whatever its white space."""
    used = seen[1][width]["used"]
    assert used["before"] == list(range(24))
    assert used["direction"] == "descending"
    assert used["sorted"] == sorted(used["sorted"], reverse=True)
    assert len(set(used["sorted"])) > 1
    assert (used["words"], used["kind"], used["apart"]) == (1, 4, 24)
    assert ["evidence", "The boat costs 4,200\ncrowns, 3."] in used["marks"]
    assert "vector-retriever" in used["views"]
    assert used["scripts"] == 0


def test_the_probe_finds_what_overlaps_and_overflows(comparison: Comparison, tmp_path: Path) -> None:
    """A page that is spoilt on purpose does not pass."""
    text = page(comparison, datetime(2026, 11, 22, tzinfo=UTC))
    spoilt = text.replace("</style>", "h2 { margin-bottom: -2.5rem } dd { width: 2000px; color: #ddd }</style>", 1)
    faults = " ".join(look(spoilt, tmp_path, "light")[1280]["closed"]["faults"])
    assert "overlap: " in faults
    assert "wide, not 1280" in faults
    assert "contrast " in faults
