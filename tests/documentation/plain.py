"""The pages as Markdown, and `llms.txt`, which lists them: `make docs` puts them beside the pages of the site."""

import re
from pathlib import Path
from textwrap import indent
from typing import Any, cast

import yaml

ROOT = Path(__file__).parents[2]
DOCS, SITE = ROOT / "docs", ROOT / "site"
_INCLUDED = re.compile(r'^( *)--8<-- "(.+)"$', re.MULTILINE)


def main() -> None:
    """Write each page as `NAME.md`, and the list."""
    for page in DOCS.rglob("*.md"):
        target = SITE / page.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(plain(page), encoding="utf-8")
    (SITE / "llms.txt").write_text(listed(), encoding="utf-8")
    for page in SITE.rglob("*.html"):
        if found := loads_from_elsewhere(page.read_text(encoding="utf-8")):
            raise SystemExit(f"{page} loads from another host: {found}")


def loads_from_elsewhere(html: str) -> str:
    """Return what a page loads from another host, such as a font, or ""."""
    tags = re.findall(r"<(?:link|script|img|iframe)\b[^>]*>", html)
    wanted = (tag for tag in tags if re.search(r"""\b(?:href|src)=["']?(?:https?:)?//""", tag))
    return next((tag for tag in wanted if 'rel="canonical"' not in tag), "")


def plain(page: Path) -> str:
    """A page with the files that it includes."""
    text = page.read_text(encoding="utf-8")
    return _INCLUDED.sub(lambda found: indent((ROOT / found[2]).read_text(encoding="utf-8").rstrip(), found[1]), text)


def listed() -> str:
    """The pages of the navigation, after https://llmstxt.org."""
    settings = _settings()
    parts = [f"# {settings['site_name']}\n\n> {settings['site_description']}"]
    for section in settings["nav"]:
        for title, pages in section.items():
            parts.append(f"## {title}\n\n" + "\n".join(f"- [{_title(page)}]({page})" for page in _pages(pages)))
    return "\n\n".join(parts) + "\n"


def _pages(entry: Any) -> list[str]:
    """The files below an entry of the navigation."""
    if isinstance(entry, str):
        return [entry]
    below = cast("dict[str, Any]", entry).values() if isinstance(entry, dict) else cast("list[Any]", entry)
    return [page for one in below for page in _pages(one)]


def _title(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def _settings() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
