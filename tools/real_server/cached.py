"""Compares the tokens that llama.cpp's server reuses from the previous request with memzoo's own calculation.

`make real-cache`, or `python -m tools.real_server.cached` with `LLAMA_SERVER` and `LLAMA_MODEL`, sends ten requests for
each memory. The server keeps the whole last request (`--swa-full`). Its answer's `cached_tokens` is compared with
`PromptCache`, in steps of one token, counted by the model's own tokenizer. Then the server gets the prompts with which
memories learn, one after another; the offline model replies to the memories.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple

import httpx
import typer
from rich.console import Console

from memzoo.benchmarks.measure.caching import CacheRule, PromptCache
from memzoo.memories import BaseMemory, ChatModel, create_memory
from memzoo.stores import Message
from memzoo.strategy import text_of
from memzoo.sync import drive
from tools.real_server.server import MODEL, served
from tools.real_server.talk import LONG, SAID

CLOSE = 2
"""The highest difference allowed, in tokens; answers that happen to begin alike make a small one."""

_BY_TOKEN = CacheRule("by token")
_BEGIN = 1  # the mark where a text begins
_ANSWER: Message = {"role": "assistant", "content": ""}
_MEMORIES: dict[str, dict[str, Any]] = {
    "buffer": {},
    "window": {"k": 2},
    "summary-buffer": {"llm": "offline", "max_token_limit": 80},
}

_LEARNERS = ("summary", "entity", "knowledge-graph")


class Compared(NamedTuple):
    """The token counts of one request.

    Attributes:
        sent: The number of tokens of the request, counted by the server.
        reused: The number of these tokens that the server reports as reused from the previous request.
        reckoned: The same two numbers, calculated by memzoo.
    """

    sent: int
    reused: int
    reckoned: tuple[int, int]

    @property
    def apart(self) -> int:
        """The larger of the two differences, in tokens."""
        return max(abs(self.sent - self.reckoned[0]), abs(self.reused - self.reckoned[1]))


def main(requests: Annotated[int, typer.Option(help="So many for each memory.")] = 10) -> None:
    """Compare both counts for each request; the exit code is 1 if they differ by more than two tokens."""
    console, worst = Console(soft_wrap=True), 0
    with served(swa_full=True) as url:
        for name, options in _MEMORIES.items():
            console.print(f"{name}: sent and reused, by the server | as reckoned", markup=False)
            for one in _compared(url, create_memory(name, token_counter="approximate", **options), requests):
                worst = max(worst, one.apart)
                console.print(f"  {one.sent:5} {one.reused:5} | {one.reckoned[0]:5} {one.reckoned[1]:5}", markup=False)
        for name in _LEARNERS:
            sent, reused = (sum(counts) for counts in zip(*_own_prompts(url, name, requests), strict=True))
            console.print(f"{name}, its own prompts: {sent:,} sent, {reused / sent:.2f} reused", markup=False)
    console.print(f"at most {worst} tokens apart")
    raise typer.Exit(code=worst > CLOSE)


def _compared(url: str, memory: BaseMemory, requests: int) -> Iterator[Compared]:
    cache = PromptCache(_BY_TOKEN, _counter(url), system_tokens=_BEGIN, written=_as_chatml)
    # The server has the last request of another memory: begin alike.
    greeting: list[Message] = [{"role": "user", "content": "Hello."}]
    _ask(url, greeting)
    cache.send([*greeting, _ANSWER])
    for question, answer in [pair for pair in SAID if LONG not in pair][:requests]:
        asked = [*memory.messages(question), {"role": "user", "content": question}]
        usage = _ask(url, asked)
        reckoned = cache.send([*asked, _ANSWER])
        yield Compared(*usage, (reckoned.sent, reckoned.cached))
        memory.save_context({"input": question}, {"output": answer})


def _own_prompts(url: str, name: str, exchanges: int) -> list[tuple[int, int]]:
    """Return (tokens sent, tokens that the server reused) for each prompt with which a memory learns."""
    offline, used = ChatModel("offline"), list[tuple[int, int]]()

    def relay(messages: list[Message]) -> str:
        used.append(_ask(url, messages))
        return drive(offline.complete(messages, "relayed")).text

    memory = create_memory(name, llm=relay, learn_every=1)
    for question, answer in [pair for pair in SAID if LONG not in pair][:exchanges]:
        memory.save_context({"input": question}, {"output": answer})
    return used


def _ask(url: str, messages: list[Message]) -> tuple[int, int]:
    body = {"model": MODEL, "messages": messages, "max_tokens": 1, "temperature": 0}
    answer = httpx.post(f"{url}/chat/completions", json=body, timeout=600, trust_env=False).raise_for_status().json()
    usage: dict[str, Any] = answer["usage"]
    return usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]


def _counter(url: str) -> Callable[[str], int]:
    """Return a function that counts tokens with the model's own tokenizer, and remembers the counts."""

    @functools.cache
    def count(text: str) -> int:
        asked = {"content": text, "add_special": False, "parse_special": True}
        address = url.removesuffix("/v1") + "/tokenize"
        answer = httpx.post(address, json=asked, timeout=60, trust_env=False).raise_for_status().json()
        return len(answer["tokens"])

    return count


def _as_chatml(message: Message) -> str:
    """Return a message in the format of the model's template; an empty message gives the beginning of an answer."""
    text = text_of(message)
    return f"<|im_start|>{message['role']}\n" + (f"{text}<|im_end|>\n" if text else "")


if __name__ == "__main__":
    typer.run(main)
