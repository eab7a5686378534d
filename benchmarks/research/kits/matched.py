"""What is matched: changed prompts, fields that may vary, messages of other APIs, what is no longer sent."""

import json

from memzoo.benchmarks.research.kits.bench import Bench, chat
from memzoo.benchmarks.research.kits.contenders import Memzoo

__all__ = ["fails_changed", "fails_unplayed", "functions", "json_path", "near_miss", "pattern", "roles"]


def fails_changed(bench: Bench) -> bool:
    """Another prompt fails, by default."""
    bench.record(chat("What is the capital of Norway?"))
    return bench.fails(chat("What is the capital of Sweden?"))


def json_path(bench: Bench) -> bool:
    """A JSON path may vary, everything else may not."""
    bench.record(chat("hi", user="u-1"))
    options = {"best": True, "ignore": "$.user"}
    return not bench.fails(chat("hi", user="u-2"), **options) and bench.fails(chat("ho", user="u-1"), **options)


def pattern(bench: Bench) -> bool:
    """A date within a text may vary, the text may not."""
    bench.record(chat("It is 2030-01-02."))
    rule = r"re:\d{4}-\d\d-\d\d"
    options = {"best": True, "ignore": rule}
    return not bench.fails(chat("It is 2031-11-30."), **options) and bench.fails(chat("It was 2030-01-02."), **options)


def near_miss(bench: Bench) -> bool:
    """A failure names the path that differs."""
    bench.record(chat("hi"))
    return "messages[0].content" in bench.error(chat("ho"), best=True)


def roles(bench: Bench) -> bool:
    """A changed message to Anthropic's API is shown with who says it."""
    blocks = {"model": "c", "messages": [{"role": "user", "content": [{"type": "text", "text": "Norway"}]}]}
    bench.record(blocks)
    other = json.loads(json.dumps(blocks).replace("Norway", "Sweden"))
    return "user: Sweden" in bench.error(other, best=True)


def fails_unplayed(bench: Bench) -> bool:
    """A recorded request that is no longer sent fails, by default."""
    bench.record(chat("one"), chat("two"))
    return bench.fails(chat("one"))


def functions(bench: Bench) -> bool:
    """A function from messages to text is recorded, without HTTP."""
    if not isinstance(bench.kit, Memzoo):
        return False  # neither of the others has that
    for model in (lambda _: "Oslo", lambda _: "never asked"):
        with bench.kit.open(bench.path, record=not bench.path.exists()) as cassette:
            answer = cassette.model(model)([{"role": "user", "content": "hi"}])
    return bool(answer == "Oslo")
