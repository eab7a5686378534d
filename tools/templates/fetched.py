"""Fetches models' chat templates from the source distributions of llama-cpp-python, trl and vLLM."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["CACHE", "fetch"]

CACHE = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "memzoo-templates"
"""The folder for downloaded packages, outside the repository."""

SOURCES = {
    "llama-cpp-python==0.3.36": ("vendor/llama.cpp/models/templates", "vendor/llama.cpp/tests/test-chat-template.cpp"),
    "trl==1.16.0": ("trl/chat_templates",),
    "vllm==0.11.0": ("examples", "vllm/transformers_utils/chat_templates"),
}
_LITERAL = r'"(?:[^"\\]|\\.)*"'
_IN_TESTS = re.compile(rf"/\* \.name= \*/ ({_LITERAL}),\s*/\* \.template_str=? \*/ (?:U8C\()?((?:{_LITERAL}\s*)+)")


def fetch(cache: Path = CACHE) -> dict[str, str]:
    """Return templates by name, each text once; packages that are not in `cache` are downloaded.

    Templates for training (with `{% generation %}`) are left out: servers do not use them.
    """
    found: dict[str, str] = {}
    for package, places in SOURCES.items():
        root, named = _unpack(package, cache), package.partition("-")[0].partition("==")[0]
        for place in places:
            for name, text in _templates(root / place):
                if "{% generation" not in text and "{%- generation" not in text and text not in found.values():
                    found[f"{named}/{name}"] = text
    return found


def _templates(place: Path) -> Iterator[tuple[str, str]]:
    if place.is_file():
        for name, literals in _IN_TESTS.findall(place.read_text(encoding="utf-8")):
            # C's escapes in these literals are Python's, too.
            yield ast.literal_eval(name), ast.literal_eval(f"({literals})")
        return
    for file in sorted(place.glob("*.jinja")):
        yield file.stem, file.read_text(encoding="utf-8")


def _unpack(package: str, cache: Path) -> Path:
    """Let pip unpack a source distribution into the cache, and return its folder.

    `pip download` unpacks the sources and then tries to read the metadata from a build. Without the packages for the
    build, this fails at once, and `--no-clean` leaves the sources in place.
    """
    folder = cache / package
    if not list(folder.glob("*/*/PKG-INFO")):
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-clean", "--no-deps", "--no-binary=:all:"]
        command += ["--no-build-isolation", "--dest", str(folder), package]
        done = subprocess.run(
            command, env=os.environ | {"TMPDIR": str(folder)}, capture_output=True, text=True, check=False
        )
        if not list(folder.glob("*/*/PKG-INFO")):
            raise SystemExit(f"pip could not fetch {package}:\n{done.stderr[-2000:]}")
    return next(folder.glob("*/*/PKG-INFO")).parent
