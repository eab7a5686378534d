"""Fuzzes cassettes: a changed cassette must be replayed, or refused by a `CassetteError`."""

import gzip
import random
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from memzoo.cassettes import Cassette, CassetteError
from memzoo.cassettes.exporting import export_cassette
from memzoo.cassettes.format import read_cassette
from memzoo.cassettes.library import clean, paths_in, show_steps
from memzoo.cassettes.steps import list_steps
from tools.fuzz.mutations import Fuzzed, changed, spoilt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["fuzz_cassettes"]

_OURS = Path(__file__).parents[2] / "cassettes"
_OPEN = ("[", "{", "- ", "? ", "{a: ", "[\n", "!!seq [", "&a [")
_MARKS = (
    "*text-0",
    "&a",
    "!!python/object:os.system",
    "!f32 xx",
    "<<: *a",
    "=======",
    "%YAML 9",
    "--- 1",
    "\t",
    "9" * 5_000,
)


def fuzz_cassettes(count: int, folder: Path, seed: int = 0) -> Fuzzed:
    """Change `count` of this project's recordings; replay, show, clean and export each changed recording.

    Args:
        count: The number of changed recordings.
        folder: An empty folder.
        seed: The seed of the changes.
    """
    fuzzed, chance = Fuzzed("recordings"), random.Random(seed)  # noqa: S311 - chance that repeats
    texts = [path.read_bytes() for path in paths_in(_OURS)]
    for number in range(count):
        path = folder / f"{number}.yaml"
        content = _changed(chance.choice(texts), chance)
        if chance.random() < 0.1:
            path = path.with_suffix(".yaml.gz")
            content = gzip.compress(content, mtime=0)
            content = spoilt(content, chance) if chance.random() < 0.5 else content
        path.write_bytes(content)
        try:
            _use(path)
            outcome = "replayed"
        except CassetteError as error:
            outcome = f"refused with {type(error).__name__}"
        except Exception as error:  # noqa: BLE001 - what must not be
            outcome = "wrong"
            fuzzed.wrong.append(f"{path}: {error!r}")
        fuzzed.outcomes[outcome] += 1
        fuzzed.holds(path.read_bytes() == content, f"{path} is another one, though it was only read")
    return fuzzed


def _use(path: Path) -> None:
    """Replay, show, clean and export a file."""
    file = read_cassette(path)
    list(show_steps(list_steps(file.recordings)))
    clean(file)
    export_cassette(path, path.with_name("exported.yaml"))
    cassette = Cassette(path, clients=False)
    for one in list(cassette.player.recordings):
        if cassette.player.can_play(one.request):
            cassette.player.play(one.request)
    cassette.close()


def _changed(content: bytes, chance: random.Random) -> bytes:
    lines = content.decode().split("\n")
    place, depth = chance.randrange(len(lines)), chance.choice([50, 2_000, 100_000])

    def with_line(line: str) -> bytes:
        return "\n".join([*lines[:place], line, *lines[place:]]).encode()

    def otherwise() -> bytes:
        document = changed(yaml.load(content, Loader=_Plain), chance)  # noqa: S506 - a safe loader
        return yaml.safe_dump(document, allow_unicode=True, sort_keys=False).encode(errors="surrogatepass")

    ways: Sequence[Callable[[], bytes]] = [
        otherwise,
        otherwise,
        lambda: spoilt(content, chance),
        lambda: spoilt(content, chance),
        lambda: "\n".join(line for line in lines if chance.random() < 0.95).encode(),
        lambda: "\n".join([*lines[:place], *lines[place + chance.randrange(9) :]]).encode(),
        lambda: "\n".join([*lines[:place], lines[place][: chance.randrange(1, 30)], *lines[place + 1 :]]).encode(),
        lambda: with_line(" " * chance.randrange(9) + chance.choice(_MARKS)),
        lambda: with_line(chance.choice(_OPEN) * depth),
        lambda: content.replace(
            chance.choice([b": ", b"- ", b"'", b"|"]), chance.choice([b":", b"-", b'"', b">", b""])
        ),
    ]
    return chance.choice(ways)()


class _Plain(yaml.SafeLoader):
    """A YAML loader that reads arrays as texts."""


for _tag in ("!f32", "!f64"):
    _Plain.add_constructor(_tag, lambda loader, node: loader.construct_scalar(node))  # type: ignore[no-untyped-call]
