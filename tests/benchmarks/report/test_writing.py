"""The files of a report, and the tables in the terminal and in Markdown."""

import functools
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from memzoo.benchmarks import Comparison, Results, Settings, Transcript, compare
from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.report.pages import fragment, page
from memzoo.benchmarks.report.tabulating import Where, columns
from memzoo.benchmarks.report.writing import markdown, table, write_report


def printed(comparison: Comparison, width: int = 100) -> str:
    """The table as a terminal shows it."""
    console = Console(width=width, force_terminal=False)
    with console.capture() as captured:
        console.print(table(comparison))
    return captured.get()


class TestFiles:
    """What other programs read."""

    def test_results_and_markdown_are_the_same_for_the_same_inputs(
        self, transcript: Transcript, words: TextCounter, tmp_path: Path
    ) -> None:
        """Date and times, which never agree, leave no trace in them."""
        written: list[list[bytes]] = []
        for day in (1, 2):
            found = compare([transcript], ["window", "summary"], Settings(budgets=[14], counter=words))
            out = tmp_path / str(day)
            write_report(found, out, datetime(2026, 1, day, tzinfo=UTC))
            written.append([(out / name).read_bytes() for name in ("results.json", "report.md")])
        assert written[0] == written[1]

    def test_the_date_is_where_the_times_are(self, comparison: Comparison, tmp_path: Path) -> None:
        """In times.json, and on the page."""
        paths = write_report(comparison, tmp_path, datetime(2026, 11, 22, 8, 30, tzinfo=UTC))
        assert [path.name for path in paths] == ["report.html", "report.md", "results.json", "times.json"]
        times = json.loads((tmp_path / "times.json").read_text(encoding="utf-8"))
        assert times["date"] == "2026-11-22T08:30:00+00:00"
        assert times["memories"]["buffer"] == {"load_ms": 12.3, "save_ms": 4.5}
        assert "22 November 2026" in (tmp_path / "report.html").read_text(encoding="utf-8")

    def test_a_folder_is_made_and_written_to_again(self, comparison: Comparison, tmp_path: Path) -> None:
        """Within others that are not there either."""
        paths = [*write_report(comparison, tmp_path / "a" / "b"), *write_report(comparison, tmp_path / "a" / "b")]
        assert all(path.exists() for path in paths)

    def test_results_can_be_read_again(self, comparison: Comparison, tmp_path: Path) -> None:
        """As what they were."""
        write_report(comparison, tmp_path)
        text = (tmp_path / "results.json").read_text(encoding="utf-8")
        assert Results.model_validate_json(text) == comparison.results


def test_the_line_that_makes_the_picked_memory_is_in_every_form(comparison: Comparison) -> None:
    """It is the last line in the terminal, and stands with the verdict elsewhere; where nobody is picked, nowhere."""
    picked = Comparison(comparison.results.model_copy(update={"pick": "window"}))
    made = 'create_memory("window", k=5)'
    assert printed(picked, 200).splitlines()[-1].startswith(f"In your program: {made}")
    assert f"```python\n{made}" in markdown(picked)
    for html in (page(picked, datetime(2026, 11, 22, tzinfo=UTC)), fragment(picked)):
        assert f"<code>{made.replace(chr(34), '&#34;')}" in html
    assert "create_memory" not in printed(comparison) + markdown(comparison) + fragment(comparison)


class TestMarkdown:
    """What a pull request shows."""

    def test_it_has_the_verdict_and_a_table_for_each_budget(self, comparison: Comparison) -> None:
        """Without times, which would change at each run."""
        text = markdown(comparison)
        assert text.index("one comes first") < text.index("## Within 250 tokens") < text.index("## Within 1,000 tokens")
        assert "≥ .34" in text
        assert "| ms" not in text

    def test_each_line_of_a_table_has_as_many_cells(self, comparison: Comparison) -> None:
        """A name with a bar in it does not make another column."""
        for part in markdown(comparison).split("\n\n"):
            if part.startswith("| "):
                assert len({line.replace("\\|", "").count("|") for line in part.splitlines()}) == 1

    def test_differences_from_the_best_are_told(self, comparison: Comparison) -> None:
        """And which of them are none."""
        assert "-.20 ±.14, not told apart" in markdown(comparison)


class TestTable:
    """What the terminal shows."""

    def test_each_memory_has_a_line_framed_by_the_baselines(self, comparison: Comparison) -> None:
        """In the order of the rows, at each budget."""
        names = [row.memory.name[:9].strip() for row in comparison.rows]
        lines = printed(comparison, 200).splitlines()
        tables = "\n".join(lines[lines.index(next(one for one in lines if one.startswith("memory"))) :])
        assert [line[:9].strip() for line in tables.splitlines() if line[:9].strip() in names] == names * 2

    def test_baselines_stand_apart(self, comparison: Comparison) -> None:
        """A line below the titles, an empty one behind the first and before the last, and one before the notes."""
        run = comparison.results.run.model_copy(update={"budgets": (1000,)})
        rows = [row for row in comparison.rows if row.memory.name in ("none", "buffer", "window", "everything")]
        results = comparison.results.model_copy(update={"run": run, "rows": tuple(rows)})
        lines = printed(Comparison(results, comparison.times), 200).splitlines()
        (begin,) = (place for place, line in enumerate(lines) if line.startswith("memory "))
        first = [next(iter(line.split()), "") for line in lines[begin : begin + 9]]
        ruled, *others = first[1:]
        assert set(ruled) == {"─"}
        assert others == ["none", "", "buffer", "window", "", "everything", ""]
        assert lines[begin + 9].startswith("answers: ")

    @pytest.mark.parametrize("write", [functools.partial(printed, width=200), markdown])
    def test_each_column_and_baseline_is_explained_below(
        self, write: Callable[[Comparison], str], comparison: Comparison
    ) -> None:
        """In a note that begins with the title."""
        notes = [line.removeprefix("- ") for line in write(comparison).splitlines()]
        where: Where = "markdown" if write is markdown else "terminal"
        for one in columns(comparison, 1000, where):
            assert any(line.startswith(one.title.replace("\n", " ") + ": ") for line in notes), one.title
        assert "paid: price of a request, in tokens at the full price" in "\n".join(notes)
        named = comparison.results.model_copy(
            update={
                "rows": tuple(
                    row.model_copy(update={"memory": row.memory.model_copy(update={"about": "as it is"})})
                    for row in comparison.rows
                )
            }
        )
        assert "baselines: none, as it is; everything, as it is" in write(Comparison(named, comparison.times))

    def test_budgets_are_told_apart(self, comparison: Comparison) -> None:
        """A single one needs no title."""
        assert "within 250 tokens" in printed(comparison, 200)
        run = comparison.results.run.model_copy(update={"budgets": (1000,)})
        one = Comparison(comparison.results.model_copy(update={"run": run}), comparison.times)
        assert "within" not in printed(one, 200)

    def test_what_failed_is_red_and_what_frames_or_bounds_is_dim(self, comparison: Comparison) -> None:
        """What competes is neither."""
        console = Console(width=200, force_terminal=True, color_system="standard")
        with console.capture() as captured:
            console.print(table(comparison))
        lines = captured.get().splitlines()
        styles = {
            name: {code for line in lines if re.match(rf"(\x1b\[\d+m)*{name} ", line) for code in line.split("m")[:1]}
            for name in ("none", "everything", "entity", "broken", "window")
        }
        dim, red = {"\x1b[2"}, {"\x1b[31"}
        assert [styles[name] for name in ("none", "everything", "entity", "broken")] == [dim, dim, dim, red]
        assert not styles["window"] & (dim | red)

    @pytest.mark.parametrize("priced", [True, False])
    def test_it_fits_a_terminal_of_80_columns(self, comparison: Comparison, *, priced: bool) -> None:
        """No figure is cut off, whatever was measured; a long name takes several lines."""
        run = comparison.results.run if priced else comparison.results.run.model_copy(update={"prices": {}})
        results = comparison.results.model_copy(update={"run": run})
        lines = printed(Comparison(results, comparison.times), 80).splitlines()
        assert max(map(len, lines)) <= 80
        assert "…" not in "".join(lines)
        assert any("cost" in line for line in lines) is priced
        assert any(line.startswith("vector-retriever ") for line in lines)
        # Narrower still, names are broken, and never figures.
        narrow = printed(Comparison(results, comparison.times), 70)
        assert re.search(r"^window +\.\d\d ±\.\d\d +\.\d\d ±\.\d\d ", narrow, re.MULTILINE)

    def test_lower_bounds_are_marked_and_explained(self, comparison: Comparison) -> None:
        """Where there is no room for words, a sign with a note."""
        text = printed(comparison, 200)
        assert "≥ .34" in text
        assert "≥ rules answered in place of a model: a lower bound" in text

    def test_it_says_what_was_left_out(self, comparison: Comparison) -> None:
        """Questions without a true answer, citations of nothing."""
        text = printed(comparison, 200)
        assert "Not asked, because they have no true answer: 2 adversarial questions." in text
        assert "Left out, because they name no message: 1 citation (9.9)." in text

    def test_a_name_is_not_markup(self, comparison: Comparison) -> None:
        """A transcript cannot paint the terminal."""
        rows = comparison.results.rows
        named = rows[1].model_copy(update={"memory": rows[1].memory.model_copy(update={"name": "[red]x[/red]"})})
        results = comparison.results.model_copy(update={"rows": (named,)})
        assert "[red]x[/red]" in printed(Comparison(results, {}), 200)

    def test_a_title_is_no_html(self, comparison: Comparison) -> None:
        """What a transcript is called can be no tag, no link and no line of its own in the Markdown either."""
        title = "<img src=x onerror=alert(1)>\n# [x](javascript:alert)"
        talks = comparison.results.talks
        told = [talks.first[0].model_copy(update={"title": title}), *talks.first[1:]]
        results = comparison.results.model_copy(update={"talks": talks.model_copy(update={"first": tuple(told)})})
        text = markdown(Comparison(results, {}))
        assert "<img" not in text
        assert "&lt;img src=x onerror=alert(1)> # [x]\\(javascript:alert)" in text
