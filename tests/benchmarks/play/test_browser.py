"""The page in Chromium: on each width, in light and dark, by mouse and by keyboard, with and without a server.

Needs Chromium, which comes with `apt-get install chromium`; it is skipped where there is none.
"""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from memzoo.benchmarks import Question
from memzoo.benchmarks.play.page import page
from memzoo.benchmarks.play.playing import Line
from memzoo.benchmarks.play.server import Feed, application
from memzoo.memories import STRATEGIES
from tests.benchmarks.play.talks import HOSTILE, SAID, Page, play, talk
from tests.browser import Browser, Tab, needs_chromium, opened

pytestmark = [needs_chromium, pytest.mark.enable_socket]

PROBE = Path(__file__).with_name("probe.js").read_text(encoding="utf-8")
WIDTHS = (400, 1280, 1600)
TOKEN = "a-token-of-the-tests"  # noqa: S105


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with opened() as running:
        yield running


@pytest.fixture(scope="module")
def known() -> tuple[list[dict[str, Any]], Page]:
    """The lines of a short conversation, with a question at its third turn, and what they tell."""
    shown = play(talk(), budget=60)
    lines = [*shown.lines(), shown.ask("Where does Anna live?", 3)]
    return lines, Page(lines)


@pytest.fixture(scope="module")
def file(known: tuple[list[dict[str, Any]], Page], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page as a file."""
    written = tmp_path_factory.mktemp("play") / "play.html"
    written.write_text(page(known[0]), encoding="utf-8")
    return written.as_uri()


def shown(tab: Tab) -> dict[str, str]:
    """What each memory shows on the page now, without what went, and with what is folded."""
    folded = (
        "document.querySelectorAll('.view details').forEach(one => {"
        " one.open = true; one.dispatchEvent(new Event('toggle')) })"
    )
    texts = """Object.fromEntries([...document.querySelectorAll(".card")].map((card) => [
      card.querySelector("h2").firstChild.data.replace(" ◆", ""),
      [...card.querySelectorAll(".view .text")].filter((text) => !text.closest(".gone")).map((text) => {
        const own = text.cloneNode(true);
        own.querySelectorAll("del, small").forEach((one) => one.remove());
        return own.textContent;
      }).join(""),
    ]))"""
    tab.value(folded)
    found: dict[str, str] = tab.value(texts)
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overflows_or_is_hard_to_read(browser: Browser, file: str, width: int, scheme: str) -> None:
    """Texts in the colours of the reader, with reasons shown, at a turn and for a question."""
    tab = browser.tab(f"{file}#4", width, scheme=scheme)
    assert tab.value("matchMedia('(prefers-color-scheme: dark)').matches") is (scheme == "dark")
    for step in ("0", "$('why').click()", "$('asked').value = 1; $('asked').dispatchEvent(new Event('change'))"):
        tab.value(step)
        found = tab.value(PROBE)
        assert found["faults"] == []
        assert found["texts"] > 80


def test_the_probe_finds_what_is_wrong(browser: Browser, file: str) -> None:
    """A page that is spoilt on purpose does not pass."""
    tab = browser.tab(file, 400)
    tab.value("$('title').style.cssText = 'width: 900px; color: #ccc'; $('back').removeAttribute('aria-label'); 0")
    tab.value("$('back').textContent = ''")
    faults = " ".join(tab.value(PROBE)["faults"])
    assert "wide, not 400" in faults
    assert "contrast " in faults
    assert "no name: BUTTON" in faults


def test_each_turn_shows_what_each_memory_sends(browser: Browser, file: str, known: Any) -> None:
    """By the slider, forth and back: what is drawn is what is rebuilt from the same lines."""
    tab = browser.tab(file)
    for moment in (0, 5, 2, 4, 1, 3):
        tab.value(f"$('slider').value = {moment}; $('slider').dispatchEvent(new Event('input'))")
        expected = {name: "".join(text for *_, text in known[1].view(moment, name)) for name in STRATEGIES}
        assert shown(tab) == expected
        assert tab.value("$('where').textContent") == f"after {moment} of {len(SAID)} exchanges"


def test_30_turns_of_the_seven(browser: Browser, bundled: list[Line], tmp_path: Path) -> None:
    """A conversation can be gone through, turn by turn, and each turn shows what is rebuilt for it."""
    (tmp_path / "bakery.html").write_text(page(bundled), encoding="utf-8")
    tab, told = browser.tab((tmp_path / "bakery.html").as_uri()), Page(bundled)
    walk = "for (let turn = 0; turn < 31; turn++) { slider.value = turn; slider.dispatchEvent(new Event('input')) }"
    tab.value(f"const slider = $('slider'); {walk} $('where').textContent")
    assert tab.value("$('where').textContent") == "after 30 of 30 exchanges"
    for moment in (30, 15, 3):
        tab.value(f"go({moment})")
        assert shown(tab) == {name: "".join(text for *_, text in told.view(moment, name)) for name in STRATEGIES}
    assert tab.events("Runtime.exceptionThrown") == tab.events("Log.entryAdded") == []


def test_it_opens_at_the_question_that_divides_the_memories(browser: Browser, tmp_path: Path) -> None:
    """On a phone a memory and what it shows are seen without scrolling; every bar says what it is about."""
    shown = play(talk(), "buffer", "window:k=1", budget=200)
    asked = [
        Question("What do we need?", "forty kilos of flour", SAID[4]),
        Question("Where did Anna live?", "Oslo", SAID[1]),
    ]
    lines = [*shown.lines(), *(shown.ask(one.text, None, one) for one in asked)]
    (tmp_path / "play.html").write_text(page(lines), encoding="utf-8")
    tab = browser.tab((tmp_path / "play.html").as_uri(), 400, 800)
    assert tab.value("$('asked').selectedIndex") == 2
    answers = tab.value("[...document.querySelectorAll('.answer')].map(one => one.textContent)")
    assert answers == ["The view contains the right answer.", "The view does not contain the right answer."]
    assert tab.value("document.querySelector('.card').getBoundingClientRect().top") < 420
    assert tab.value("document.querySelector('.view').getBoundingClientRect().top") < 760
    assert tab.value("[...document.querySelectorAll('.card > svg')].map(one => one.nextSibling.localName)") == ["p"] * 6


def test_a_memory_that_shows_nothing_says_for_what(browser: Browser, tmp_path: Path) -> None:
    """Not that it never showed anything."""
    (tmp_path / "play.html").write_text(page(play(talk(), "window:k=1").lines()), encoding="utf-8")
    tab = browser.tab(f"{(tmp_path / 'play.html').as_uri()}#0")
    assert tab.value("document.querySelector('.view').textContent") == "Nothing for this message."


def test_a_question_shows_views_and_answers(browser: Browser, file: str, known: Any) -> None:
    """At the turn at which it was asked; then the conversation can be gone on with."""
    tab = browser.tab(file)
    tab.value("$('asked').value = 1; $('asked').dispatchEvent(new Event('change'))")
    assert shown(tab) == {name: "".join(text for *_, text in known[1].asked(0, name)) for name in STRATEGIES}
    assert "Oslo" in tab.value("document.querySelector('.answer').textContent")
    tab.value("$('on').click()")
    assert tab.value("$('where').textContent") == "after 4 of 5 exchanges"
    assert tab.value("document.querySelector('.answer')") is None


def test_what_changed_is_marked(browser: Browser, file: str) -> None:
    """What came, what went and what was rewritten, in words too, not by colour alone."""
    tab = browser.tab(f"{file}#5")
    changes = tab.value("[...document.querySelectorAll('.changes')].map(one => one.textContent)")
    assert changes[0] == "2 added"
    assert any("removed" in one for one in changes)
    came = "[...document.querySelectorAll('.card:first-child ins.came')].map(one => one.textContent)"
    assert tab.value(came) == [*SAID[4]]
    assert tab.value("$('told').textContent").startswith("after 5 of 5 exchanges. buffer: 2 added; window: 2 added")


def test_by_keyboard_alone(browser: Browser, file: str) -> None:
    """Everything is reached with Tab, is seen to have the focus, and the slider goes turn by turn."""
    tab = browser.tab(f"{file}#2")
    seen: list[str] = []
    outlined = "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
    while "ask" not in seen[-1:] and len(seen) < 60:
        tab.press("Tab")
        if (here := tab.value("document.activeElement.id || document.activeElement.className")) in seen[:1]:
            break
        seen.append(here)
        assert tab.value(f"document.activeElement === document.body || {outlined}")
    assert seen[:4] == ["back", "slider", "on", "why"]
    assert seen.count("view") == len(STRATEGIES)
    tab.value("$('slider').focus()")
    tab.press("ArrowRight", 2)
    assert tab.value("$('where').textContent") == "after 4 of 5 exchanges"
    tab.press("Home")
    assert tab.value("document.querySelector('.view').textContent") == "Nothing for this message."
    tab.value("$('why').focus()")
    tab.press(" ")
    assert tab.value("$('why').checked") is True


def test_a_file_asks_for_nothing(browser: Browser, file: str) -> None:
    """No request but for the file itself, no error, and nothing that its policy had to stop."""
    tab = browser.tab(file)
    asked = [one["request"]["url"] for one in tab.events("Network.requestWillBeSent")]
    assert [url for url in asked if not url.startswith("data:")] == [file]
    assert tab.events("Runtime.exceptionThrown") == tab.events("Log.entryAdded") == []


def test_a_hostile_conversation_is_harmless(browser: Browser, tmp_path: Path) -> None:
    """Its texts are seen to the letter; no element, no script and no style comes of them."""
    lines = [*play(talk(((one, one) for one in HOSTILE), title=HOSTILE[1]), budget=500).lines()]
    (tmp_path / "hostile.html").write_text(page(lines), encoding="utf-8")
    tab = browser.tab((tmp_path / "hostile.html").as_uri())
    told = Page(lines)
    for moment in range(len(HOSTILE) + 1):
        tab.value(f"go({moment})")
        assert shown(tab) == {name: "".join(text for *_, text in told.view(moment, name)) for name in STRATEGIES}
    assert tab.value("document.title") == f"{HOSTILE[1]}: memzoo play"
    assert tab.value("document.querySelectorAll('img, iframe, script:not([id]), style').length") == 2
    assert tab.value("getComputedStyle(document.body).display") == "block"
    assert tab.events("Runtime.exceptionThrown") == tab.events("Log.entryAdded") == []


def test_the_graph_is_drawn(browser: Browser, file: str, known: Any) -> None:
    """A line for each fact, a point for each name; around one name there are those about it."""
    tab = browser.tab(f"{file}#5")
    facts = tab.value("factsAt('knowledge-graph').length")
    assert facts == sum(
        len(come) - len(gone) for come, gone in (known[1].frame(n, "knowledge-graph")["facts"] for n in range(6))
    )
    assert tab.value("document.querySelectorAll('#drawing line').length") == facts > 0
    names = tab.value("new Set(factsAt('knowledge-graph').flatMap(id => [facts[id][0], facts[id][2]])).size")
    assert tab.value("document.querySelectorAll('#drawing circle').length") == names
    inside = "every(one => one.cx.baseVal.value >= 0 && one.cy.baseVal.value >= 0)"
    assert tab.value(f"[...document.querySelectorAll('#drawing circle')].{inside}") is True


def test_with_a_server_one_types_and_asks(browser: Browser) -> None:
    """By keyboard: a message is answered and remembered, a question is answered by all at the turn that is seen."""
    feed = Feed(play(talk(), budget=60))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(application(feed, TOKEN), log_level="warning", lifespan="off"))
        serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        serving.start()
        running = threading.Thread(target=feed.run)
        running.start()
        tab = browser.tab(f"http://127.0.0.1:{listening.getsockname()[1]}/?token={TOKEN}")
        tab.wait("!$('forms').hidden")
        tab.value("$('words').focus()")
        tab.write(HOSTILE[0])
        tab.press("Enter")
        tab.wait("moments.length === 7 && !$('say').querySelector('button').disabled")
        assert tab.value("document.querySelector('.bubble.user .text').textContent") == HOSTILE[0]
        assert HOSTILE[0] in shown(tab)["window"]
        tab.value("$('slider').value = 3; $('slider').dispatchEvent(new Event('input')); $('question').focus()")
        tab.write("Where does Anna live?")
        tab.press("Enter")
        tab.wait("questions.length && document.querySelector('.answer')")
        answers = tab.value("[...document.querySelectorAll('.answer')].map(one => one.textContent)")
        assert len(answers) == len(STRATEGIES)
        assert "Oslo" in answers[0]
        tab.value("$('question').value = '  '; $('ask').requestSubmit()")
        tab.wait("$('wrong').textContent")
        assert "empty" in tab.value("$('wrong').textContent")
        assert tab.value("document.title") == "A talk: memzoo play"
        server.should_exit = True
        running.join()
        serving.join()
