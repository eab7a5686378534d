"""The server of the page: only who has its address sees anything, and only on this machine."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest

from memzoo.benchmarks.play.page import POLICY
from memzoo.benchmarks.play.server import Feed, application
from memzoo.errors import OptionError
from tests.benchmarks.play.talks import HOSTILE, SAID, Page, play, talk

TOKEN = "a-token-of-the-tests"  # noqa: S105
KNOWN = {"Authorization": f"token {TOKEN}"}


@pytest.fixture
def feed() -> Feed:
    """A conversation that two memories went through."""
    feed = Feed(play(talk(), "buffer", "window:k=1"))
    feed.run()
    return feed


def asked(
    feed: Feed,
    method: str,
    path: str,
    headers: Mapping[str, str] | None = None,
    host: str = "127.0.0.1:8000",
    **more: Any,
) -> httpx.Response:
    """What the server answers, without a socket."""

    async def scene() -> httpx.Response:
        transport = httpx.ASGITransport(application(feed, TOKEN))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            return await client.request(method, path, headers=headers, **more)

    return asyncio.run(scene())


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/lines", "/lines?token=" + TOKEN])
@pytest.mark.parametrize("headers", [{}, {"Authorization": "token wrong"}, {"Authorization": "token \xe9"}])
def test_without_the_token_nothing_is_told(feed: Feed, path: str, headers: dict[str, str]) -> None:
    """Neither the page nor what it shows; of the page the token is in the address, of the rest in a header."""
    given = {name: value.encode("latin-1") for name, value in headers.items()}
    reply = asked(feed, "GET", path, given)  # type: ignore[arg-type]
    assert reply.status_code == 403
    assert "token" in reply.json()["error"]
    assert "Anna" not in reply.text


@pytest.mark.parametrize("path", ["/say", "/ask"])
def test_without_the_token_nothing_is_done(feed: Feed, path: str) -> None:
    """Another page in the browser can send a request, but it is not taken."""
    reply = asked(feed, "POST", f"{path}?token={TOKEN}", json={"text": "Hello"})
    assert (reply.status_code, feed.play.moment) == (403, len(SAID))


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "192.0.2.1"])
@pytest.mark.parametrize("path", [f"/?token={TOKEN}", "/play.js", "/lines"])
def test_under_another_name_nothing_is_answered(feed: Feed, host: str, path: str) -> None:
    """A name of somebody else's that leads to this machine is refused, even with the token."""
    assert asked(feed, "GET", path, KNOWN, host).status_code == 400


def test_the_page_and_its_files(feed: Feed) -> None:
    """They come with a policy that lets nothing else load, and are kept by nobody."""
    for path, kind in ((f"/?token={TOKEN}", "text/html"), ("/play.css", "text/css"), ("/play.js", "text/javascript")):
        reply = asked(feed, "GET", path)
        assert (reply.status_code, reply.headers["content-type"]) == (200, f"{kind}; charset=utf-8")
        assert reply.headers["content-security-policy"] == POLICY
        assert reply.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in reply.headers
    assert asked(feed, "GET", "/play.html.jinja").status_code == 404


def test_lines_are_those_of_the_play(feed: Feed) -> None:
    """All of them, or those behind the ones that were seen."""
    found = asked(feed, "GET", "/lines", KNOWN).json()
    page = Page(found["lines"])
    assert (found["done"], len(page.moments)) == (True, len(SAID) + 1)
    assert [text for *_, text in page.view(len(SAID), "window:k=1")] == [*SAID[-1]]
    assert len(asked(feed, "GET", "/lines?after=5", KNOWN).json()["lines"]) == len(found["lines"]) - 5
    for wrong in ("-1", "9" * 5000):
        assert asked(feed, "GET", f"/lines?after={wrong}", KNOWN).status_code == 400


def test_what_is_said_and_asked_is_answered_and_told_to_all(feed: Feed) -> None:
    """The lines that come of it are the answer, and who asks for lines later gets them too."""
    page = Page(asked(feed, "GET", "/lines", KNOWN).json()["lines"])
    said = asked(feed, "POST", "/say", KNOWN, json={"text": HOSTILE[0], "by": "buffer", "answer": "Well."}).json()
    for line in said["lines"]:
        page.take(line)
    assert page.view(len(SAID) + 1, "buffer")[-2][-1] == HOSTILE[0]
    asking = asked(feed, "POST", "/ask", KNOWN, json={"text": "Where does Anna live?", "moment": 3}).json()
    assert (asking["lines"][0]["at"], "Oslo" in asking["lines"][0]["memories"]["buffer"]["answer"]) == (3, True)
    assert asked(feed, "GET", "/lines", KNOWN).json()["lines"][-3:] == [*said["lines"], *asking["lines"]]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/say", b'{"text": ""}', 422),
        ("/say", b'{"text": "hi", "by": "nobody"}', 422),
        ("/say", b'{"text": 1}', 400),
        ("/say", b'{"by": "buffer"}', 400),
        ("/say", b'["hi"]', 400),
        ("/say", b"{", 400),
        ("/say", b"[" * 100_000, 400),
        ("/ask", b'{"text": "hi", "moment": "1"}', 400),
        ("/ask", b'{"text": "hi", "moment": true}', 400),
        ("/ask", b'{"text": "hi", "moment": 99}', 422),
        ("/ask", b'{"text": "hi", "other": 1}', 400),
        ("/ask", b'{"text": "' + b"a" * 1_000_001 + b'"}', 413),
    ],
)
def test_what_makes_no_sense_is_refused(feed: Feed, path: str, body: bytes, status: int) -> None:
    """With a reason, and nothing is said."""
    reply = asked(feed, "POST", path, KNOWN, content=body)
    assert (reply.status_code, bool(reply.json()["error"])) == (status, True)
    assert feed.play.moment == len(SAID)


def test_a_stored_conversation_is_only_read() -> None:
    """Nothing can be said to it."""
    feed = Feed(play(talk(), "buffer", stored=((), {})))
    feed.play.talk = talk([])
    feed.run()
    reply = asked(feed, "POST", "/say", KNOWN, json={"text": "Hello"})
    assert (reply.status_code, "only be looked at" in reply.json()["error"]) == (422, True)


def test_lines_come_while_the_memories_are_on_their_way() -> None:
    """The first are there before the last; until then nothing can be said."""
    go_on = threading.Event()
    shown = play(talk(), "buffer")
    lines = shown.lines

    def slow() -> Iterator[dict[str, Any]]:
        for number, line in enumerate(lines()):
            if number == 3:
                go_on.wait()
            yield line

    shown.lines = slow  # type: ignore[method-assign]
    feed = Feed(shown)
    running = threading.Thread(target=feed.run)
    running.start()
    found = list[dict[str, Any]]()
    while len(found) < 3:
        found += feed.after(len(found))["lines"]
    with pytest.raises(OptionError, match="still reading"):
        feed.act(lambda: shown.say("Hello"))
    go_on.set()
    running.join()
    assert (len(found), feed.after(3)["done"]) == (3, True)


def test_what_fails_on_the_way_is_told() -> None:
    """The page is not left waiting."""
    shown = play(talk(), "buffer")

    def broken() -> Iterator[dict[str, Any]]:
        yield {"kind": "start"}
        raise OSError("disk full")

    shown.lines = broken  # type: ignore[method-assign]
    feed = Feed(shown)
    with contextlib.suppress(OSError):
        feed.run()
    assert feed.after(0) == {"lines": [{"kind": "start"}], "done": True, "error": "OSError: disk full"}
