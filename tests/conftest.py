"""What all tests share: the replay kit, and tiktoken's vocabularies from an installed package instead of a download."""

import importlib.util
import os
from pathlib import Path

pytest_plugins = ["memzoo.cassettes", "pytester"]

VOCABULARIES = "llama_index/core/_static/tiktoken_cache"


def _use_installed_vocabularies() -> None:
    found = importlib.util.find_spec("llama_index")
    for place in found.submodule_search_locations or () if found else ():
        folder = Path(place).parent / VOCABULARIES
        if folder.is_dir():
            os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))


_use_installed_vocabularies()
