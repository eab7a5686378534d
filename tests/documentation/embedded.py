"""The pages of `memzoo play` that the site embeds: `make docs` writes them before it builds the site."""

from datetime import UTC, datetime
from pathlib import Path

from memzoo.benchmarks import Exchange, Transcript, Variant
from memzoo.benchmarks.measure.settings import Settings
from memzoo.benchmarks.play.command import sample_page
from memzoo.benchmarks.play.page import page
from memzoo.benchmarks.play.playing import Play
from memzoo.memories import STRATEGIES
from memzoo.memories.strategies.named import further_names, strategy_named
from tests.documentation.talk import QUESTION, TALK, options_of

FOLDER = Path(__file__).parents[2] / "docs" / "embedded"
_DAY = datetime(2026, 5, 8, tzinfo=UTC)


def main() -> None:
    """Write the page about the bundled conversation, and one for each class."""
    FOLDER.mkdir(exist_ok=True)
    sample_page(FOLDER / "bakery.html")
    (FOLDER / "bakery.html").chmod(0o644)  # what the command writes is its owner's alone
    for short in (*STRATEGIES, *further_names()):
        name = strategy_named(short).__name__
        (FOLDER / f"{name}.html").write_text(class_page(name), encoding="utf-8")


def class_page(name: str) -> str:
    """One class and the conversation of its page, with the question at its end."""
    said = [
        Exchange(({"role": "user", "content": one}, {"role": "assistant", "content": other}), ({}, {}), _DAY)
        for one, other in TALK
    ]
    options = {key: value for key, value in options_of(name).items() if key != "llm"}
    [short] = [one for one in (*STRATEGIES, *further_names()) if strategy_named(one).__name__ == name]
    variant = Variant(short, strategy=short, options=options)
    shown = Play(Transcript("A short conversation", tuple(said)), [variant], Settings())
    return page([*shown.lines(), shown.ask(QUESTION)])


def framed(address: str, title: str, height: str) -> str:
    """A page within a page, with a link to it alone."""
    frame = f'<iframe class="play" src="{address}" title="{title}" loading="lazy" style="height: {height}"></iframe>'
    return f'{frame}\n\n<p class="alone"><a href="{address}" target="_blank">Open it alone</a></p>'


if __name__ == "__main__":
    main()
