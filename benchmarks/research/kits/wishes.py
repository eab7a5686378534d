"""The checks behind the table of replay kits: each returns True if a kit has a certain feature."""

import asyncio
import json
import re
import threading
import time
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, cast

import httpx

from memzoo.benchmarks.research.kits.bench import PROMPT, SECRET, Bench, Check, chat, open_cassette
from memzoo.benchmarks.research.kits.contenders import Memzoo
from memzoo.benchmarks.research.kits.server import Answer


def fails_changed(bench: Bench) -> bool:
    """Check that, by default, a replay fails if a prompt was changed."""
    bench.record(chat("What is the capital of Norway?"))
    return bench.fails(chat("What is the capital of Sweden?"))


def json_path(bench: Bench) -> bool:
    """Check that a kit can ignore the value at a JSON path in a request, and still compare the rest."""
    bench.record(chat("hi", user="u-1"))
    options = {"best": True, "ignore": "$.user"}
    return not bench.fails(chat("hi", user="u-2"), **options) and bench.fails(chat("ho", user="u-1"), **options)


def pattern(bench: Bench) -> bool:
    """Check that a kit can ignore a date within a text, and still compare the rest of the text."""
    bench.record(chat("It is 2030-01-02."))
    rule = r"re:\d{4}-\d\d-\d\d"
    options = {"best": True, "ignore": rule}
    return not bench.fails(chat("It is 2031-11-30."), **options) and bench.fails(chat("It was 2030-01-02."), **options)


def near_miss(bench: Bench) -> bool:
    """Check that the error of a failed replay names the JSON path that differs."""
    bench.record(chat("hi"))
    return "messages[0].content" in bench.error(chat("ho"), best=True)


def roles(bench: Bench) -> bool:
    """Check that the error about a changed message to Anthropic's API shows the message and its role."""
    blocks = {"model": "c", "messages": [{"role": "user", "content": [{"type": "text", "text": "Norway"}]}]}
    bench.record(blocks)
    other = json.loads(json.dumps(blocks).replace("Norway", "Sweden"))
    return "user: Sweden" in bench.error(other, best=True)


def fails_unplayed(bench: Bench) -> bool:
    """Check that, by default, a replay fails if a recorded request is not sent."""
    bench.record(chat("one"), chat("two"))
    return bench.fails(chat("one"))


def functions(bench: Bench) -> bool:
    """Check that a kit can record a function that takes messages and returns text, without HTTP."""
    if not isinstance(bench.kit, Memzoo):
        return False  # neither of the others has that
    for model in (lambda _: "Oslo", lambda _: "never asked"):
        with bench.kit.open(bench.path, record=not bench.path.exists()) as cassette:
            answer = cassette.model(model)([{"role": "user", "content": "hi"}])
    return bool(answer == "Oslo")


EVENTS = ['data: {"n": 1}\n\n', 'data: {"n"', ": 2}\n\n", "data: [DONE]\n\n"]


def stream(bench: Bench) -> bool:
    """Check that a replayed stream has the same chunks as the recorded stream."""
    bench.server.answers.append(Answer(EVENTS, "text/event-stream"))
    with bench.kit.open(bench.path, record=True):
        bench.chunks()
    with bench.kit.open(bench.path):
        return bench.chunks() == EVENTS


def breaks_off_again(bench: Bench) -> bool:
    """Check that a stream that broke off while recording breaks off again in the replay."""
    bench.server.answers.append(Answer(EVENTS, "text/event-stream", ends=False))
    found: list[bool] = []
    for record in (True, False):
        options: dict[str, Any] = {"allow_errors": True} if isinstance(bench.kit, Memzoo) else {}
        with open_cassette(bench, record=record, **options):
            try:
                bench.chunks()
            except httpx.RemoteProtocolError:
                found.append(True)
    return found == [True, True]


def replays_pauses(bench: Bench) -> bool:
    """Check that the pauses of a stream can be replayed."""
    if not isinstance(bench.kit, Memzoo):
        return False  # neither of the others has such an option
    bench.server.answers.append(Answer(EVENTS, "text/event-stream"))
    with open_cassette(bench, record=True, timing="recorded"):
        bench.chunks()
    bench.path.write_text(re.sub(r"seconds: \[.*\]", "seconds: [0.2, 0.0, 0.0, 0.0]", bench.path.read_text()))
    start = time.perf_counter()
    with open_cassette(bench, timing="recorded"):
        bench.chunks()
    return time.perf_counter() - start > 0.2  # noqa: PLR2004 - as written above


def threads(bench: Bench) -> bool:
    """Check that several threads can replay at the same time, each from its own cassette."""
    numbers, found = range(4), dict[int, list[Any]]()
    for number in numbers:
        with bench.kit.open(bench.folder / f"{number}.yaml", record=True):
            bench.ask(chat(f"{number}"))
    barrier = threading.Barrier(len(numbers))

    def run(number: int) -> None:
        with bench.kit.open(bench.folder / f"{number}.yaml", best=True):
            barrier.wait()
            try:
                found[number] = [bench.ask(chat(f"{number}")).json()["answer"]]
            finally:
                barrier.wait()

    bench.in_threads(*(lambda number=number: run(number) for number in numbers))
    return found == {number: [number + 1] for number in numbers}


def tasks(bench: Bench) -> bool:
    """Check that several tasks can replay at the same time, each from its own cassette."""
    for number in range(4):
        with bench.kit.open(bench.folder / f"{number}.yaml", record=True):
            bench.ask(chat(f"{number}"))

    async def run(number: int) -> Any:
        with bench.kit.open(bench.folder / f"{number}.yaml", best=True):
            async with httpx.AsyncClient() as client:
                await asyncio.sleep(0)
                url = f"{bench.server.url}/chat/completions"
                return (await client.post(url, json=chat(f"{number}"))).json()["answer"]

    async def run_all() -> list[Any]:
        return await asyncio.gather(*(run(number) for number in range(4)))

    return asyncio.run(run_all()) == [1, 2, 3, 4]


def follows_threads(bench: Bench) -> bool:
    """Check that a thread uses the cassette that was open where it started, even if another thread opens one."""
    other, found = bench.folder / "other.yaml", list[Any]()
    bench.record(chat("hi"))
    with bench.kit.open(other, record=True):
        bench.ask(chat("other"))
    asked = bench.server.count
    with bench.kit.open(bench.path, best=True):
        inside = threading.Thread(target=lambda: found.append(bench.ask(chat("hi")).json()["answer"]))
        held, done = threading.Event(), threading.Event()

        def hold() -> None:
            with bench.kit.open(other, best=True):
                held.set()
                done.wait(10)
                bench.ask(chat("other"))

        holder = threading.Thread(target=hold)
        holder.start()
        held.wait(10)
        inside.start()
        inside.join()
        done.set()
        holder.join()
    return found == [1] and bench.server.count == asked


def keeps_order(bench: Bench) -> bool:
    """Check that threads with equal requests get the same answers as in the recording, in whatever order they run."""

    def run(turn: int, *, record: bool) -> dict[int, Any]:
        found = dict[int, Any]()

        def ask(number: int) -> None:
            time.sleep(0.02 * ((number + turn) % 3))
            found[number] = bench.ask(chat("same")).json()["answer"]

        with bench.kit.open(bench.path, record=record, best=True):
            bench.in_threads(*(lambda number=number: ask(number) for number in range(3)))
        return found

    recorded = run(0, record=True)
    return all(run(turn, record=False) == recorded for turn in range(3))


def age(bench: Bench) -> bool:
    """Check that a test can be made to fail if its recording is too old."""
    bench.record(chat("hi"))
    if isinstance(bench.kit, Memzoo):
        later = datetime(2100, 1, 1, tzinfo=UTC)
        return _refuses(open_cassette(bench, max_age=30, stale="fail", clock=lambda: later))
    cassetter: Any = import_module("cassetter")
    if bench.kit.name != "cassetter":
        return False  # no such option
    text = bench.path.read_text()
    bench.path.write_text(text.replace(f"{datetime.now(UTC):%Y-}", "2001-"))
    return _refuses(cassetter.use_cassette(bench.path, record_mode="none", max_age="30d", on_expiry="fail"))


def drift(bench: Bench) -> bool:
    """Check that the report of a new recording names a field of the answer whose type has changed."""
    bench.server.answers += [Answer([json.dumps({"id": 1})]), Answer([json.dumps({"id": "1"})])]
    bench.record(chat("hi"))
    before = bench.path.read_text()
    if isinstance(bench.kit, Memzoo):
        from memzoo.cassettes.format import read_cassette
        from memzoo.cassettes.library import drift as differences

        fresh = bench.folder / "fresh.yaml"
        with bench.kit.open(fresh, record=True):
            bench.ask(chat("hi"))
        found = "\n".join(differences(read_cassette(bench.path), read_cassette(fresh)))
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
    """Check that a prompt sent ten times is stored at most twice."""
    bench.record(*(chat(PROMPT, n=number) for number in range(10)))
    return bench.path.stat().st_size < 3 * len(PROMPT)


def embeddings(bench: Bench) -> bool:
    """Check that a vector takes less space than its JSON, and is replayed exactly."""
    vector = [round(((number * 7919) % 1000 - 500) / 997, 7) for number in range(1536)]
    text = json.dumps({"data": [{"embedding": vector}]})
    bench.server.answers.append(Answer([text]))
    bench.record(chat("hi"))
    with bench.kit.open(bench.path):
        same = bool(bench.ask(chat("hi")).json() == json.loads(text))
    return same and bench.path.stat().st_size < len(text)


def proxy(bench: Bench) -> bool:
    """Check that a proxy can record and replay the requests of another process."""
    if not isinstance(bench.kit, Memzoo):
        return False  # neither of the others has one
    from memzoo.cassettes import CassetteProxy

    answers: list[Any] = []
    for options in ({"record": "once"}, {}):
        opened = CassetteProxy(bench.path, upstream=bench.server.url.removesuffix("/v1"), **cast("Any", options))
        with opened as running, httpx.Client(timeout=60) as client:
            answers.append(client.post(f"{running.url}/v1/chat/completions", json=chat("hi")).json())
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
    """Check that a cassette of vcrpy can be replayed unchanged."""
    bench.path.write_text(VCRPY.replace("URL", bench.server.url).replace("SECRET", SECRET))
    with bench.kit.open(bench.path):
        return bool(bench.ask(chat("hi", password=SECRET)).json() == {"answer": 7})


def vcrpy_secrets(bench: Bench) -> bool:
    """Check that the kit can remove the secrets from a cassette of vcrpy."""
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
    """Check that the kit can list cassettes that belong to no test."""
    if isinstance(bench.kit, Memzoo):
        return hasattr(import_module("memzoo.cassettes.command"), "check")
    return bench.kit.name == "cassetter" and hasattr(import_module("cassetter.pytest_plugin"), "check_orphans")


def secret_in(**options: Any) -> Check:
    """Return a check that, by default, a secret in a request is not recorded. `options` are the request's arguments."""

    def check(bench: Bench) -> bool:
        with bench.kit.open(bench.path, record=True), httpx.Client() as client:
            client.post(f"{bench.server.url}/chat/completions", **options)
        return SECRET not in bench.path.read_text()

    check.__doc__ = f"A secret in {', '.join(options)} is not in the file, by default."
    return check


def echo(bench: Bench) -> bool:
    """Check that, by default, an API key that the server repeats in its answer is not written to the cassette."""
    bench.server.answers.append(Answer([json.dumps({"error": f"wrong key {SECRET}"})]))
    bench.record(chat("hi"), headers={"authorization": f"Bearer {SECRET}"})
    return SECRET not in bench.path.read_text()


def _refuses(cassette: AbstractContextManager[Any]) -> bool:
    try:
        with cassette:
            return False
    except Exception:  # noqa: BLE001 - each kit has its own
        return True


ROWS: dict[str, tuple[Check, ...]] = {
    "a changed prompt fails, by default": (fails_changed,),
    "fields that may vary: path, pattern, a miss that names the path": (
        json_path,
        pattern,
        near_miss,
    ),
    "streams: chunks, a break, pauses": (stream, breaks_off_again, replays_pauses),
    "several at once: threads, tasks, threads started inside, a fixed order": (
        threads,
        tasks,
        follows_threads,
        keeps_order,
    ),
    "an old recording fails; drift is reported": (age, drift),
    "a long prompt once; vectors smaller than their JSON": (one_prompt, embeddings),
    "a proxy for other processes": (proxy,),
    "vcrpy's files replay; they are cleaned": (vcrpy_files, vcrpy_secrets),
    "recording above HTTP": (functions,),
    "orphaned files; other APIs' messages by role": (orphans, roles),
    "requests that are no longer sent fail, by default": (fails_unplayed,),
    "no secret in the file, by default: header, parameter, form, JSON, echo": (
        secret_in(headers={"x-api-key": SECRET}),
        secret_in(params={"access_token": SECRET}),
        secret_in(data={"password": SECRET}),
        secret_in(json={"client_secret": SECRET}),
        echo,
    ),
}
