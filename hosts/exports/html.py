"""Extracts the text of an HTML page."""

from html.parser import HTMLParser

_BLOCKS = {
    *("p", "div", "br", "li", "ul", "ol", "tr", "table", "pre", "blockquote", "hr"),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
}
_HIDDEN = {"script", "style"}


def words_of(html: str) -> str:
    r"""Return the text of an HTML page, with each block on its own line.

    Example:
        >>> words_of("<p>Tea &amp; <b>milk</b></p><ul><li>hot</li></ul>")
        'Tea & milk\nhot'
    """
    page = _Page()
    page.feed(html)
    page.close()
    lines = (" ".join(line.split()) for line in "".join(page.said).split("\n"))
    return "\n".join(filter(None, lines))


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _HIDDEN
        self.said += ["\n"] * (tag in _BLOCKS)

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in _HIDDEN
        self.said += ["\n"] * (tag in _BLOCKS)

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.said.append(data)
