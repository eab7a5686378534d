"""What is refused, with which error, in which words: one table for all that is wrong however the rest stands.

A row is a call, the error, and words of its text. What a refusal leaves untouched is tested where it is about that.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any, TypeAlias

import openai
import pytest

from memzoo import (
    ChatModel,
    Conversation,
    MemoryProvider,
    create_memory,
    delete_old,
    open_store,
    trim_messages,
    upkeep,
)
from memzoo.errors import MemoryZooError, MessageError, MissingKeyError, ModelError, OptionError
from memzoo.http_library import http
from memzoo.memories import BaseMemory, KnowledgeGraph, OpenAIEmbedder, Tool
from memzoo.memories.models.hashing import hash_embedding
from memzoo.memories.options import whole_number
from memzoo.memories.text.tokens import token_counter
from memzoo.prompts import PROMPTS, PromptSet
from memzoo.stores import InMemoryStore, SQLStore

Row: TypeAlias = tuple[Callable[[], object], type[MemoryZooError], str]
"""A call, the error that it raises, and words of the error's text."""

# Options that are whole numbers; the smallest of each is in test_options.
WHOLE_NUMBERS = {
    "window": ("k", "step"),
    "summary": ("learn_every", "max_state_tokens", "max_prompt_tokens"),
    "summary-buffer": ("max_token_limit", "prune_to"),
    "entity": ("k", "max_token_limit", "max_state_tokens"),
    "vector-retriever": ("k", "max_token_limit"),
    "knowledge-graph": ("k", "max_token_limit", "max_state_tokens"),
    "combined": ("max_token_limit",),
    "message-window": ("max_messages", "step"),
    "token-window": ("step",),
    "summarizing-window": ("max_messages",),
}
# Those of them that may be left out by saying so.
NONE_MEANS: set[object] = {
    "learn_every",
    "max_state_tokens",
    "max_prompt_tokens",
    "prune_to",
    ("vector-retriever", "k"),
    *((name, "max_token_limit") for name in ("entity", "vector-retriever", "knowledge-graph", "combined")),
}


def call(function: Any, *given: Any, **options: Any) -> Callable[[], Any]:
    """A call with what a type checker would refuse, too."""
    return partial(function, *given, **options)


def made(name: str, **options: Any) -> Callable[[], object]:
    """The call that makes a memory."""
    return call(create_memory, name, **options)


def talks(memory: Any = "buffer", **options: Any) -> Callable[[], object]:
    """The call that makes a conversation."""
    return call(Conversation, "offline", memory, **options)


def asked(method: str, *given: Any, **options: Any) -> Callable[[], object]:
    """A call of a conversation in which something was said."""

    def use() -> object:
        conversation = Conversation("offline")
        conversation.send("hi")
        return getattr(conversation, method)(*given, **options)

    return use


def provides(**options: Any) -> Callable[[], object]:
    """The call that makes a provider of buffers."""
    return call(MemoryProvider, **{"name": "buffer", **options})


def by_position(a: int, /) -> int:
    """A function that takes its argument without a name, which is how no model gives one."""
    return a


def calling(function: Callable[[], object]) -> object:
    """A function that takes what no JSON is."""
    return function()


def add(a: int, b: int) -> int:
    """A sum."""
    return a + b


def sized(given: Any) -> int:
    """Counts whatever it is given."""
    return len(given)


def written(given: Any) -> int:
    """Counts whatever it is given as it is written."""
    return len(str(given)) // 2


def given_back(value: Any) -> Any:
    """What it is given."""
    return value


def options_of_memories() -> Iterator[Row]:
    """Options that have a value that cannot work, whatever the strategy."""
    for option in ("memory_key", "human_prefix", "ai_prefix", "conversation_id"):  # I7, X7
        for text in ("", None, 7):
            wanted = f"{option} must be a non-empty string, not {text!r}"
            yield made("buffer", **{option: text}), OptionError, wanted
    yield made("buffer", conversation_id=""), OptionError, "leave it out for a fresh one"
    stores: list[Any] = [None, {}, BaseMemory]
    for store in stores:
        yield made("buffer", store=store), OptionError, "open_store('sqlite:///memories.db')"
    yield made("buffer", store="memories.db"), OptionError, "for a file write 'sqlite:///memories.db'"
    yield made("summary", prompts={"summary": "{{ summry }}"}), OptionError, "summry"
    for name, option in (("buffer", "return_messages"), ("summary", "keep_history"), ("knowledge-graph", "mine_ai")):
        for other in ("no", 0, None):
            yield made(name, **{option: other}), OptionError, f"{option} must be True or False, not {other!r}"
    for several in ("lives in", b"x", 7, [7]):
        wanted = "single_valued must be a list of strings"
        yield made("knowledge-graph", single_valued=several), OptionError, wanted


def whole_numbers() -> Iterator[Row]:
    """What only looks like a whole number, or is too small."""
    for value in (True, False, 1.0, "1", None, [1]):
        yield call(whole_number, "size", value), OptionError, "size must be a whole number, not"
    yield call(whole_number, "size", 2, at_least=3), OptionError, "size must be a whole number of at least 3, not 2"
    for name, options in WHOLE_NUMBERS.items():
        for option in options:
            free = option in NONE_MEANS or (name, option) in NONE_MEANS
            for number in ("nine", 2.5, True, *(() if free else (None,))):
                yield made(name, **{option: number}), OptionError, f"{option} must be"


def options_of_strategies() -> Iterator[Row]:
    """Options of single strategies."""
    yield made("summary-buffer", max_token_limit=8, prune_to=9), OptionError, "prune_to must be"
    yield made("vector-retriever", k=2, max_token_limit=10), OptionError, "max_token_limit or k, not both"
    yield made("vector-retriever", index="chroma"), OptionError, "index"
    for embedder in ("text-embedding-3-small", 3, openai.OpenAI(api_key="key"), [[1.0]]):
        wanted = "embedder must be an OpenAIEmbedder, a function"
        yield made("vector-retriever", embedder=embedder), OptionError, wanted
    yield made("summary", llm=openai.OpenAI(api_key="key")), OptionError, "goes into ChatModel(name, client=...)"  # X6
    twice = ["summary", ("summary", {"memory_key": "other"})]
    yield made("combined", memories=twice), OptionError, "two members would both keep the state summary"
    for members in ([], [7], [("buffer",)], [("buffer", "x")], [None], "buffer"):
        yield made("combined", memories=members), OptionError, "memories must"
    yield made("combined", memories=["bufer"]), OptionError, "no strategy 'bufer'"
    no_shares: Any = [1], [1, -1], [0, 0], [1, 1, 1], [], "11", ["1", "1"], [math.nan, 1], [1, math.inf], [10**400, 1]
    for shares in no_shares:
        wanted = "shares must be a number for each of the 2 members"
        yield made("combined", memories=["buffer", "window"], shares=shares), OptionError, wanted
    for option, other in (("evict", "turn"), ("evict", None), ("oversized", "drop")):
        yield made("message-window", **{option: other}), OptionError, f"{option} must be "
    yield made("message-window", rules="spring"), OptionError, "rules must be "
    java = {"rules": "langchain4j"}
    yield (
        made("message-window", **java, evict="exchange"),
        OptionError,
        "evict must be 'message' with LangChain4j's rules",
    )
    yield made("message-window", **java, step=2), OptionError, "step must be 0 with LangChain4j's rules"
    yield made("summary", prune_to=3), OptionError, "prune_to"


def calls_of_memories() -> Iterator[Row]:
    """What is given to the methods of a memory."""
    memory = create_memory("summary", llm="offline")
    # With both keys in doubt the error speaks of the input, as in LangChain.
    yield call(memory.save_context, {}, {}), MissingKeyError, "One input key expected"
    for bound in (0, -1, 1.5, "nine", "0", True):
        yield call(memory.messages, max_tokens=bound), OptionError, "max_tokens must be"
    for number in (2**63, 10**5000, -(10**5000)):
        uses = (memory.entries, "limit"), (memory.entries, "before"), (memory.entries, "after"), (memory.rewind, "last")
        for use, option in (*uses, (memory.relearn, "from_"), (memory.messages, "max_tokens")):
            yield call(use, **{option: number}), OptionError, f"{option} must be a whole number of at "
        for by_id in (memory.pin, partial(memory.pin, off=True)):
            yield call(by_id, number), OptionError, "id must be a whole number of at "
    for option, other in (("from_", 0), ("from_", "3"), ("only_set_aside", "yes")):
        yield call(memory.relearn, **{option: other}), OptionError, option
    users: dict[str, Any] = {
        "a turn must begin with a user message": {"role": "assistant", "content": "hi"},
        "the content of a user message must be a string": {"role": "user"},
        "a message must be a dict": 5,
    }
    for wanted, user in users.items():
        yield call(memory.turn, user), MessageError, wanted
    yield call(memory.turn, None, after=1), OptionError, "after=1 needs a new message"
    for name in ("window", "vector-retriever"):
        for inputs in (5, 0, "hi", list[object]()):
            loads = create_memory(name).load_memory_variables
            yield call(loads, inputs), MessageError, f"the user's next message}}, not {inputs!r}"
    for option, other in (("on_failure", "explode"), ("busy", "later")):
        yield call(memory.turn, "hi", **{option: other}), OptionError, other


def messages_and_numbers() -> Iterator[Row]:
    """What is no list of messages, no number and no name."""
    memory = create_memory("summary", llm="offline")
    graph, window = create_memory("knowledge-graph", llm="offline"), create_memory("message-window")
    for ids in (1.5, 7, "1", [1.5], [True]):
        yield call(memory.forget, ids), OptionError, "ids must be log numbers, such as [3, 4], or None"
    for said in (None, 5, "hi", {"role": "user", "content": "hi"}):
        text = f"must be a list of chat messages, not {said!r}"
        trimmed = partial(trim_messages, max_tokens=5, token_counter=len)
        for use in (memory.add_messages, window.set_messages, trimmed):
            yield call(use, said), MessageError, text
    yield call(graph.why, 5), OptionError, "name must be a string, not 5"


def work_on_stores() -> Iterator[Row]:
    """What is given to the functions that go through whole stores."""
    store, day = InMemoryStore(), timedelta(days=1)
    for span in (30, "30d", -day):
        for option in ("older_than", "idle_for"):
            yield (
                call(delete_old, store, **{option: span}),
                OptionError,
                f"{option} must be a timedelta of at least 0, such as timedelta(",
            )
    for now in (datetime(2026, 1, 1), "now"):  # noqa: DTZ001 - that is the point
        yield call(delete_old, store, older_than=day, now=now), OptionError, "now must be a datetime with a time zone"
    yield call(delete_old, store), OptionError, "older_than or idle_for is needed"
    for option, given in (("limit", -1), ("limit", "a"), ("after", 1), ("prefix", 1)):
        yield call(delete_old, store, idle_for=day, **{option: given}), OptionError, f"{option} must be"
    learn = partial(upkeep, store, "summary", llm="offline")
    for ids, fault in (
        ("user-42", "conversations, such as ['user-42'], not 'user-42'"),
        (5, "conversations, such as ['user-42'], not 5"),
        ([1], "conversation ids, such as ['user-42']; 1 is not one"),
        (["a", None], "conversation ids, such as ['user-42']; None is not one"),
    ):
        yield call(learn, ids), OptionError, f"ids must be a list of {fault}"
    yield call(learn, conversation_id="a"), OptionError, "choose conversations with ids=['user-42']"
    yield call(learn, prefix=5), OptionError, "prefix must be a string, not 5"
    for at in (datetime(2026, 1, 1, tzinfo=timezone.utc), None, "now", math.nan):  # noqa: UP017
        seconds = f"clock must return the seconds since 1970, as time.time does, not {at!r}"
        yield made("buffer", clock=partial(given_back, at)), OptionError, seconds
    moment = datetime(2026, 1, 1, tzinfo=timezone.utc)  # noqa: UP017
    wrongs: tuple[Any, ...] = partial(given_back, 1.5), partial(given_back, None), 5, moment
    for wrong in wrongs:
        uses = create_memory("buffer", store=InMemoryStore(clock=wrong)).save_context
        yield call(uses, {"input": "a"}, {"output": "b"}), OptionError, "a function that returns a datetime, not"
    east = timezone(timedelta(hours=2))
    for at in (datetime.min.replace(tzinfo=east), datetime.max.replace(tzinfo=timezone(-timedelta(hours=2)))):
        for kept in (
            InMemoryStore(clock=partial(given_back, at)),
            SQLStore("sqlite://", clock=partial(given_back, at)),
        ):
            uses = create_memory("buffer", store=kept).save_context
            yield call(uses, {"input": "a"}, {"output": "b"}), OptionError, "clock must return a time between the years"


def prompts() -> Iterator[Row]:
    """What stands in place of a prompt."""
    for source in (5, ["a"]):
        yield (
            made("summary", llm="offline", prompts=source),
            OptionError,
            "prompts must be a folder, or templates by name",
        )
    for source in ("x" * 5_000, "a\0b", "{{ new_lines }}"):
        yield made("summary", llm="offline", prompts=source), OptionError, "is not a folder; a template is given by its"
    needed = {
        "summary": "'dated_new_lines' or 'new_lines'",
        "entity_notes": "'dated_new_lines' or 'new_lines'",
        "triple_extraction": "'dated_new_lines' or 'new_lines'",
        "current_entities": "'input'",
        "compare_answer": "'memory'",
        "compare_judge": "'answer'",
        "compare_questions": "'lines'",
    }
    assert needed.keys() == {*PROMPTS}
    for name, variables in needed.items():
        for template in ("", "Do it.", "{# {{ new_lines }} #}"):
            yield (
                made("summary", llm="offline", prompts={name: template}),
                OptionError,
                f"must use {variables}; otherwise",
            )
    yield (
        made("summary", prompts={"summary": "{{ summary }}"}),
        OptionError,
        "must use 'dated_new_lines' or 'new_lines'",
    )
    own = partial(PromptSet, brought={"topic": "{{ new_lines }}{{ topic }}"})
    yield call(own, {"topic": "Go!"}), OptionError, "must use 'new_lines' or 'topic'"


def conversations() -> Iterator[Row]:
    """Conversations, their tools, and providers of memories."""
    yield talks("nope"), OptionError, "no strategy 'nope'"
    yield asked("edit", 1, None), MessageError, "or a user message, not None"
    yield asked("edit", 1, 5), MessageError, "a message must be a dict"
    yield asked("send", None, after=0), OptionError, "after=0 needs a new message"
    yield talks(None), OptionError, "memory must be a memory or the name of a strategy, not None"
    yield talks(max_rounds=-1), OptionError, "max_rounds must be a whole number"
    yield talks(on_failure="ignore"), OptionError, "on_failure must be 'keep' or 'rollback', not 'ignore'"
    yield talks(busy="skip"), OptionError, "busy must be 'wait' or 'refuse', not 'skip'"
    yield talks(tools=["add"]), OptionError, "a tool must be a function, not 'add'"
    yield talks(tools=len), OptionError, "tools must be a list of functions, not <built-in function len>"
    yield talks(tools=[add, add]), OptionError, "two tools have the same name"
    for limit in (0, "8k", "9" * 5000):
        yield talks(max_tokens=limit), OptionError, "max_tokens"
    for oversized in ("shorten", "drop"):
        yield talks(oversized=oversized), OptionError, "oversized"
    yield talks(mark_stable=True), OptionError, "mark_stable must be a function"
    for option in ("store", "conversation_id", "k"):
        wanted = f"{option} can only be given with the name of a strategy"
        yield talks(create_memory("window"), **{option: "memory://"}), OptionError, wanted
    yield call(Conversation, str, tools=[add]), OptionError, "gives text only"
    yield call(Tool, 5), OptionError, "a tool must be a function, not 5"
    yield call(Tool, lambda: 1), OptionError, "a tool needs a name of letters"
    yield call(Tool, by_position), OptionError, "parameters without names"
    yield call(Tool, calling), OptionError, "cannot be described"
    yield provides(name="nope"), OptionError, "no strategy 'nope'"
    yield provides(k=5), OptionError, "has no option 'k'"
    yield provides(conversation_id="default"), OptionError, "conversation_id is set by the provider"
    yield provides(max_memories=0), OptionError, "max_memories must be a whole number of at least 1"
    yield provides(idle_seconds=0), OptionError, "idle_seconds must be a number greater than 0"
    yield provides(idle_seconds="1h"), OptionError, "idle_seconds must be a number greater than 0, not '1h'"
    provider = MemoryProvider("buffer")
    naive = datetime(2026, 5, 8)  # noqa: DTZ001 - the mistake
    bounds = (
        ("limit", -1),
        ("limit", "2"),
        ("limit", 2**63),
        ("prefix", 7),
        ("after", 7),
        ("idle_since", 7),
        ("idle_since", naive),
    )
    for bound, other in bounds:
        yield call(provider.conversations, **{bound: other}), OptionError, bound
    kept = call(provider.session, "x", at_end="archive")  # there is no default
    yield kept, OptionError, "at_end must be 'delete' or 'keep', not 'archive'"


def models_and_texts() -> Iterator[Row]:
    """Models, embedders, token counters, limits and formats."""
    client = openai.OpenAI(api_key="k")
    parameters: list[tuple[Any, dict[str, Any], str]] = [
        (ChatModel, {"temprature": 0}, "no parameter 'temprature'"),
        (ChatModel, {"temprature": 0}, "Did you mean 'temperature'"),
        (ChatModel, {"max_retry": 0}, "Did you mean 'max_retries'"),
        (ChatModel, {"top_k": 40}, "endpoint knows as extra_body={'top_k': ...}"),
        (OpenAIEmbedder, {"dimension": 3}, "Did you mean 'dimensions'"),
        (ChatModel, {"stream": True}, "stream is set by each call"),
        (ChatModel, {"messages": []}, "messages is set by each call"),
        (ChatModel, {"http_client": http.Client()}, "client=OpenAI(http_client=...)"),
        (ChatModel, {"client": client, "max_retries": 0}, "client=OpenAI(max_retries=...)"),
        (ChatModel, {"client": client, "temprature": 0}, "Did you mean 'temperature'"),
        (ChatModel, {"max_reply_bytes": 0}, "max_reply_bytes must be a number greater than 0, not 0"),
        (ChatModel, {"max_reply_seconds": "long"}, "max_reply_seconds must be a number greater than 0, not 'long'"),
        (OpenAIEmbedder, {"max_reply_bytes": True}, "max_reply_bytes must be a number greater than 0, not True"),
    ]
    for make, options, advice in parameters:
        yield call(make, "m", **options), OptionError, advice
    for name in (5, "", None):
        yield call(ChatModel, name), OptionError, "model must be the endpoint's name for a model"
    for dimensions in (7, 4097, 0, -1):
        yield call(hash_embedding, ["a"], dimensions), OptionError, f"{dimensions}"
    for counter in ("gpt-99-imagined", "aproximate", 7):
        yield call(token_counter, counter), OptionError, "approximate"
    said = [{"role": "user", "content": "hi"}]
    for either in (sized, written):
        yield call(trim_messages, said, 4, either), OptionError, "annotating its parameter"
    wrong = (
        (3, "keep, step"),
        ({"kep": 3}, "kep"),
        ({"keep": -1}, "keep"),
        ({"step": 0}, "step"),
        ({"exclude": "x"}, "list"),
    )
    for clear, named in wrong:
        yield made("buffer", clear_tool_results=clear), OptionError, named
        yield call(trim_messages, said, 10, len, clear_tool_results=clear), OptionError, named
    yield call(KnowledgeGraph().export, "gexf"), OptionError, "no format 'gexf'; there are text, mermaid, graphml"


def likely_names() -> Iterator[Row]:
    """Of a name that is unknown, the error tells the one that was probably meant."""
    for use, meant in (
        (made("sumary"), "summary"),
        (made("Window"), "window"),
        (made("window", K=3), "k"),
        (made("window", retrun_messages=True), "return_messages"),
        (made("summary", llm="offline", on_model_error="defre"), "defer"),
        (made("summary", llm="offline", prompts={"sumary": "x"}), "summary"),
        (call(open_store, "sqllite:///chat.db"), "sqlite"),
        (call(KnowledgeGraph().export, "mermaidd"), "mermaid"),
    ):
        yield use, MemoryZooError, f". Did you mean '{meant}'?"


def rows(*tables: Callable[[], Iterable[Row]]) -> list[Any]:
    """The rows of all tables, each named by its table and its text."""
    return [pytest.param(*row, id=f"{table.__name__}: {row[2]}") for table in tables for row in table()]


@pytest.mark.parametrize(
    ("use", "error", "text"),
    rows(
        options_of_memories,
        whole_numbers,
        options_of_strategies,
        calls_of_memories,
        messages_and_numbers,
        work_on_stores,
        prompts,
        conversations,
        models_and_texts,
        likely_names,
    ),
)
def test_is_refused_by_name(use: Callable[[], object], error: type[MemoryZooError], text: str) -> None:
    """What cannot work is a typed error of memzoo, at once, that names it and says what would be right."""
    with pytest.raises(error) as refused:
        use()
    assert text in str(refused.value)
    assert not isinstance(refused.value, ModelError)
