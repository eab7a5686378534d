"""The page as one file: it loads nothing, runs nothing but its own script, and is small."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from memzoo.benchmarks.play.page import asset, dump_json, page
from memzoo.benchmarks.play.playing import Line
from tests.benchmarks.play.talks import HOSTILE, play, talk

MOST = 20_000


class Elements(HTMLParser):
    """Collects what a browser would find in a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, str] = {}
        self._open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.found.append((tag, dict(attrs)))
        self._open = True

    def handle_endtag(self, tag: str) -> None:
        """What follows is not its text."""
        self._open = False

    def handle_data(self, data: str) -> None:
        """Note the text of the last element."""
        place = len(self.found) - 1
        if self._open:
            self.texts[place] = self.texts.get(place, "") + data

    def named(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        """Attributes and texts of all elements of a name."""
        return [
            (attributes, self.texts.get(place, ""))
            for place, (name, attributes) in enumerate(self.found)
            if name == tag
        ]


def told(text: str) -> Any:
    """The lines within a page."""
    return next(json.loads(inside) for attributes, inside in Elements(text).named("script") if attributes.get("id"))


@pytest.fixture(scope="module")
def hostile() -> str:
    """A page about a conversation in which everybody attacks it."""
    shown = play(talk(((text, text) for text in HOSTILE), title=HOSTILE[1]), budget=500)
    return page([*shown.lines(), shown.ask(HOSTILE[0])])


def test_a_turn_takes_at_most_20_kb(bundled: list[Line]) -> None:
    """Of the seven together: differences are told, not views."""
    text = page(bundled)
    assert len(text.encode()) <= MOST * len(bundled)
    assert told(text) == json.loads(json.dumps(bundled))
    assert [line["kind"] for line in told(text)] == ["start", *["moment"] * 31]


def test_nothing_is_loaded() -> None:
    """No element of the page names an address but its empty icon, and its policy allows none."""
    elements = Elements(page(play(talk(), "buffer").lines()))
    named = [value for _, attributes in elements.found for name, value in attributes.items() if name in ("src", "href")]
    assert named == ["data:,"]
    assert not re.search(r"url\(|@import|https?:", asset("play.css"))
    assert re.findall(r"https?://[^\"]+", asset("play.js")) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(", asset("play.js"))


def test_only_its_own_script_and_style_count() -> None:
    """The policy names both by their digests, and allows nothing else."""
    elements = Elements(page(play(talk(), "buffer").lines()))
    [policy] = [
        one["content"] for one, _ in elements.named("meta") if one.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    texts = {"script-src": elements.named("script")[-1][1], "style-src": elements.named("style")[0][1]}
    for kind, text in texts.items():
        assert rules[kind] == f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
    assert (rules["default-src"], rules["base-uri"], rules["form-action"]) == ("'none'", "'none'", "'none'")


def test_hostile_texts_stay_texts(hostile: str) -> None:
    """They are in the page to the letter, and add no element to it."""
    harmless = page(play(talk(), "buffer").lines())
    assert [tag for tag, _ in Elements(hostile).found] == [tag for tag, _ in Elements(harmless).found]
    said = [text for line in told(hostile) for _, text in line.get("said", ())]
    assert said == [text for text in HOSTILE for _ in range(2)]


def test_half_a_character_can_be_written() -> None:
    """It is replaced: no file could hold it."""
    assert dump_json(["half \ud83d"]) == '["half ?"]'


def test_the_page_of_a_server_asks_for_its_files() -> None:
    """It has no lines in it, and the same elements otherwise."""
    elements = Elements(page())
    assert [one.get("src") for one, _ in elements.named("script")] == ["play.js"]
    assert [one["href"] for one, _ in elements.named("link")] == ["data:,", "play.css"]
