"""The files: their age, size and secrets, those of other kits and of other processes, and those that no test has."""

import json
import threading
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import httpx

from memzoo.benchmarks.research.kits.bench import PROMPT, SECRET, Bench, Check, chat, enter, open_cassette, raises
from memzoo.benchmarks.research.kits.contenders import Memzoo
from memzoo.benchmarks.research.kits.server import Answer

__all__ = [
    "age",
    "drift",
    "echo",
    "embeddings",
    "one_prompt",
    "orphans",
    "proxy",
    "secret_in",
    "vcrpy_files",
    "vcrpy_secrets",
]


def age(bench: Bench) -> bool:
    """An old recording can fail a test."""
    bench.record(chat("hi"))
    if isinstance(bench.kit, Memzoo):
        later = datetime(2100, 1, 1, tzinfo=UTC)
        return raises(lambda: enter(open_cassette(bench, max_age=30, stale="fail", clock=lambda: later)))
    cassetter: Any = import_module("cassetter")
    if bench.kit.name != "cassetter":
        return False  # no such option
    text = bench.path.read_text()
    bench.path.write_text(text.replace(f"{datetime.now(UTC):%Y-}", "2001-"))
    return raises(
        lambda: enter(cassetter.use_cassette(bench.path, record_mode="none", max_age="30d", on_expiry="fail"))
    )


def drift(bench: Bench) -> bool:
    """Recording again says which field has another type, and leaves the old recording."""
    bench.server.answers += [Answer([json.dumps({"id": 1})]), Answer([json.dumps({"id": "1"})])]
    bench.record(chat("hi"))
    before = bench.path.read_text()
    if isinstance(bench.kit, Memzoo):
        from memzoo.cassettes.format import read_cassette
        from memzoo.cassettes.library import drift as differences

        fresh = bench.folder / "fresh.yaml"
        with bench.kit.open(fresh, record=True):
            bench.ask(chat("hi"))
        found = "\n".join(differences(read_cassette(bench.path).recordings, read_cassette(fresh).recordings))
    elif bench.kit.name == "cassetter":
        cassetter: Any = import_module("cassetter")
        try:
            with cassetter.use_cassette(bench.path, record_mode="verify", compare=cassetter.compare.Compare()):
                bench.ask(chat("hi"))
            found = ""
        except Exception as error:  # noqa: BLE001 - its own error, or that it has no such option
            found = str(error)
    else:
        return False  # it has nothing like it
    return "id" in found and "type" in found and bench.path.read_text() == before


def one_prompt(bench: Bench) -> bool:
    """A prompt that is sent ten times takes its room once or twice."""
    bench.record(*(chat(PROMPT, n=number) for number in range(10)))
    return bench.path.stat().st_size < 3 * len(PROMPT)


def embeddings(bench: Bench) -> bool:
    """A vector takes less room than its JSON, and comes back exactly."""
    vector = [round(((number * 7919) % 1000 - 500) / 997, 7) for number in range(1536)]
    text = json.dumps({"data": [{"embedding": vector}]})
    bench.server.answers.append(Answer([text]))
    bench.record(chat("hi"))
    with bench.kit.open(bench.path):
        same = bool(bench.ask(chat("hi")).json() == json.loads(text))
    return same and bench.path.stat().st_size < len(text)


def proxy(bench: Bench) -> bool:
    """Another process is recorded and replayed through a proxy."""
    if not isinstance(bench.kit, Memzoo):
        return False  # neither of the others has one
    from memzoo.cassettes import CassetteSettings
    from memzoo.cassettes.proxy import CassetteProxy

    answers: list[Any] = []
    for settings in (CassetteSettings(record="once"), CassetteSettings()):
        running = CassetteProxy(bench.path, settings, upstream=bench.server.url.removesuffix("/v1"))
        thread = threading.Thread(target=running.serve)
        thread.start()
        with httpx.Client(timeout=60) as client:
            answers.append(client.post(f"{running.url}/v1/chat/completions", json=chat("hi")).json())
        running.stop()
        thread.join()
        running.close()
    return bool(answers[0] == answers[1])


VCRPY = """\
interactions:
- request:
    body: '{"model": "m", "messages": [{"role": "user", "content": "hi"}], "password": "SECRET"}'
    headers:
      authorization: [Bearer SECRET]
      content-type: [application/json]
    method: POST
    uri: URL/chat/completions
  response:
    body: {string: '{"answer": 7}'}
    headers: {content-type: [application/json]}
    status: {code: 200, message: OK}
version: 1
"""


def vcrpy_files(bench: Bench) -> bool:
    """A cassette of vcrpy replays as it is."""
    bench.path.write_text(VCRPY.replace("URL", bench.server.url).replace("SECRET", SECRET))
    with bench.kit.open(bench.path):
        return bool(bench.ask(chat("hi", password=SECRET)).json() == {"answer": 7})


def vcrpy_secrets(bench: Bench) -> bool:
    """A cassette of vcrpy is cleaned of its secrets on request."""
    bench.path.write_text(VCRPY.replace("URL", bench.server.url).replace("SECRET", SECRET))
    if bench.kit.name == "cassetter":
        fresh = bench.folder / "fresh.yaml"
        convert: Any = import_module("cassetter.cli")
        convert.convert_file(bench.path, fresh)
        return SECRET not in str(fresh.read_text())
    if not isinstance(bench.kit, Memzoo):
        return False  # its own files stay as they are
    from memzoo.cassettes.format import read_cassette
    from memzoo.cassettes.library import clean

    clean(read_cassette(bench.path), bench.path)
    return SECRET not in bench.path.read_text()


def orphans(bench: Bench) -> bool:
    """Files that no test has are found."""
    if isinstance(bench.kit, Memzoo):
        return hasattr(import_module("memzoo.cassettes.command"), "check")
    return bench.kit.name == "cassetter" and hasattr(import_module("cassetter.pytest_plugin"), "check_orphans")


def secret_in(**options: Any) -> Check:
    """Make a check that a secret in one place is not in the file, by default."""

    def check(bench: Bench) -> bool:
        with bench.kit.open(bench.path, record=True), httpx.Client() as client:
            client.post(f"{bench.server.url}/chat/completions", **options)
        return SECRET not in bench.path.read_text()

    check.__doc__ = f"A secret in {', '.join(options)} is not in the file, by default."
    return check


def echo(bench: Bench) -> bool:
    """A key that the server repeats is not in the file, by default."""
    bench.server.answers.append(Answer([json.dumps({"error": f"wrong key {SECRET}"})]))
    bench.record(chat("hi"), headers={"authorization": f"Bearer {SECRET}"})
    return SECRET not in bench.path.read_text()
