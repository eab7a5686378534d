"""The results of a comparison, and what you can make of them."""

import importlib
from pathlib import Path
from typing import Any

from memzoo.benchmarks.paths import path_of
from memzoo.benchmarks.report.pages import fragment
from memzoo.benchmarks.report.tabulating import records
from memzoo.benchmarks.report.writing import write_report
from memzoo.benchmarks.results import Compared
from memzoo.errors import MissingExtraError

__all__ = ["Comparison"]


class Comparison(Compared):
    """The result of `compare`: memories side by side."""

    def table(self) -> list[dict[str, Any]]:
        """List a flat record for each memory and budget."""
        return records(self)

    def to_pandas(self) -> Any:
        """Return the table as a `pandas.DataFrame`.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        try:
            pandas: Any = importlib.import_module("pandas")
        except ModuleNotFoundError as error:
            raise MissingExtraError("to_pandas needs pandas: pip install pandas") from error
        return pandas.DataFrame(self.table())

    def save(self, folder: str | Path) -> list[Path]:
        """Write results.json, times.json, report.md and report.html into a folder or URL, and return their paths."""
        return write_report(self, path_of(folder))

    def _repr_html_(self) -> str:
        return fragment(self)
