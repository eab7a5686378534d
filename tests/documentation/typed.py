"""Both type checkers over the Python blocks of all pages: `python -m tests.documentation.typed`, in `make types`.

The blocks of a page are one program. Where a page shows what its readers copy into a typed program, all of it is as
strict as can be; elsewhere functions of the page may have no types. Pages of frameworks that are not installed here are
left to `make hosts`, and files with tests to pytest.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".pages"
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SHOWN = re.compile(r'^--8<-- "(.*\.py)"$', re.MULTILINE)
_STRICT = ("page_README", "page_serving", "page_conversation", "page_stores", "page_data")
# Pieces that stand for themselves, with names that the page does not define.
_PIECES = ("cassettes", "hosts_")


def extract() -> list[str]:
    """Write the code of each page into a file, and give their names."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.py"):
        old.unlink()
    names: list[str] = []
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        blocks = [text for text in _BLOCK.findall(page.read_text(encoding="utf-8")) if not text.startswith("# test")]
        files = [ROOT / file for text in blocks for file in _SHOWN.findall(text)]
        names += [_write(file.stem, file.read_text(encoding="utf-8")) for file in files]
        blocks = [text for text in blocks if not _SHOWN.match(text)]
        path = page.relative_to(ROOT / "docs") if page.is_relative_to(ROOT / "docs") else page.relative_to(ROOT)
        name = re.sub(r"\W", "_", str(path.with_suffix("")))
        if blocks and not name.startswith(_PIECES):
            names.append(_write(name, "\n".join(blocks)))
    return names


def _write(name: str, text: str) -> str:
    """Write a module whose name is no package's."""
    name = f"page_{name}"
    (FOLDER / f"{name}.py").write_text(text, encoding="utf-8")
    return name


def main() -> int:
    """Check, and tell by the exit code whether something was found."""
    names = extract()
    lines = ["[mypy]", "strict = True", f"mypy_path = {ROOT}", "explicit_package_bases = True"]
    lines += ["allow_redefinition = True", "[mypy-memzoo.*]", "ignore_errors = True"]
    for name in names:
        lines += [f"[mypy-{name}]", "implicit_reexport = True"]
        if name not in _STRICT:
            lines += [f"{one} = False" for one in ("disallow_untyped_defs", "disallow_incomplete_defs")]
            lines += ["disallow_untyped_calls = False"]
    (FOLDER / "mypy.ini").write_text("\n".join(lines), encoding="utf-8")
    settings = {"include": ["*.py"], "extraPaths": [".."], "pythonVersion": "3.11", "venvPath": ".."}
    settings |= {"venv": Path(sys.prefix).name, "typeCheckingMode": "standard", "reportRedeclaration": False}
    (FOLDER / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", *(f"{name}.py" for name in names)]
    pyright = [sys.executable, "-m", "pyright", "-p", "."]
    return max(subprocess.run(command, cwd=FOLDER, check=False).returncode for command in (mypy, pyright))


if __name__ == "__main__":
    sys.exit(main())
