"""How long a prompt may be: estimated, cut to size, and learnt from what endpoints say."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.errors import ModelError
from memzoo.memories.engine.prompt_limit import PromptLimit, TooLongError, count_for_prompt, cut_middle, shorten_entries
from memzoo.memories.text.messages import Labels
from memzoo.memories.text.rendering import Renderer
from memzoo.memories.text.tokens import count_text, token_counter
from memzoo.stores import Entry
from memzoo.strategy import text_of

# ruff: noqa: ISC004, RUF001 - a table, and Chinese

# What servers answer to a prompt that is too long, and the context that they name; 0 for none.
REFUSALS = [
    ("Error code: 400 - {'error': {'code': 400, 'message': 'request (2747 tokens) exceeds the available context size "
     "(2048 tokens), try increasing it', 'type': 'exceed_context_size_error', 'n_ctx': 2048}}", 2048),
    ("Error code: 400 - This model's maximum context length is 8192 tokens. However, your messages resulted in 9031 "
     "tokens. Please reduce the length of the messages. code: context_length_exceeded", 8192),
    ("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, "
     "1000 in the completion)", 4096),
    ("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096),
    ("prompt is too long: 208310 tokens > 200000 maximum", 200_000),
    ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
    ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32_768),
    ("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens", 4096),
    ("The model is loaded with context length of only 4096 tokens, which is not enough", 4096),
    ("too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000", 4081),
    ("Error code: 500 - input (3202 tokens) is too large to process. increase the physical batch size (current batch "
     "size: 512)", 0),
    ("400 context length exceeded", 0),
]  # fmt: skip
OTHERS = [
    "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000. Please try again in 2s",
    "Connection error.",
    "Error code: 500 - internal server error",
    "Error code: 401 - incorrect API key provided",
]
TEXTS = [
    "The bakery moves to the harbour next week, and Mara needs new signs. " * 40,
    "Die Bäckerei zieht nächste Woche um, und Mara braucht größere Schilder. " * 40,
    "Пекарня переезжает на следующей неделе. " * 40,
    "面包店下周搬到港口，玛拉需要新的招牌。" * 40,
    "def f(x):\n    return {key: value[0] for key, value in x.items() if value}\n" * 40,
]


@pytest.mark.parametrize(("text", "context"), REFUSALS)
def test_is_learnt_from_the_endpoint(text: str, context: int) -> None:
    """Where a server names its context, prompts leave a quarter of it for the answer; else they are halved."""
    limit = PromptLimit(10_000_000)
    error = limit.learn_from(ModelError(text), "x" * 30_000_000)
    assert error is not None
    assert (error.asked, error.shorter) == (True, True)
    assert limit.tokens == (int(context * 0.75) if context else 5_000_000)


def test_the_smallest_context_is_one_of_512_tokens() -> None:
    """A lower number in an error is something else, such as a status, and says nothing about the context."""
    for context, tokens in ((512, 1024), (511, 2000)):
        limit = PromptLimit(4000)
        assert limit.learn_from(ModelError(f"maximum context length is {context} tokens"), "x" * 12_000)
        assert limit.tokens == tokens


@pytest.mark.parametrize("text", OTHERS)
def test_is_not_learnt_from_other_errors(text: str) -> None:
    """An outage or a rate limit says nothing about lengths."""
    limit = PromptLimit(6000)
    assert limit.learn_from(ModelError(text), "x" * 9000) is None
    assert limit.tokens == 6000


def test_has_room_for_our_own_words_always() -> None:
    """However little an endpoint claims to take, and whatever somebody makes it say."""
    limit = PromptLimit(6000)
    for _ in range(20):
        limit.learn_from(ModelError("context length exceeded: 600"), "x" * 9000)
    assert limit.tokens == 1024


def test_refuses_without_asking() -> None:
    """A prompt that is too long for what is known is an error that says by how much."""
    with pytest.raises(TooLongError, match="'summary' would have about 2000 tokens; its limit is 1536") as caught:
        PromptLimit(1536).check("x" * 6000, "summary")
    assert not caught.value.asked


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_estimates_are_no_less_than_the_tokens(text: str, encoding: str) -> None:
    """A tokenizer makes fewer tokens of a text than is assumed; an old one of Chinese text a little more."""
    chinese = TEXTS.index(text) == 3
    assert count_text(text, encoding) <= count_for_prompt(text) * (1.3 if chinese else 1)


@given(st.text(alphabet="aä面🙂\n ", max_size=400), st.integers(20, 60))
def test_cuts_in_the_middle(text: str, tokens: int) -> None:
    """A long text keeps its beginning and its end, fits, and says how much is missing."""
    short = cut_middle(text, tokens)
    assert count_for_prompt(short) <= tokens
    if short != text:
        beginning, _, rest = short.partition("\n[... ")
        assert text.startswith(beginning)
        left_out, _, end = rest.partition(" characters left out ...]\n")
        assert text.endswith(end)
        assert len(beginning) + int(left_out.replace(",", "")) + len(end) == len(text)


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=6), st.integers(200, 600))
def test_cuts_the_longest_messages(sizes: list[int], tokens: int) -> None:
    """Messages that do not fit together are cut, the short ones not at all."""
    entries = [
        Entry(place, {"role": "user", "content": "x" * size}, "t", datetime(2026, 5, 8, tzinfo=UTC))
        for place, size in enumerate(sizes, 1)
    ]
    short = shorten_entries(entries, tokens)
    assert [entry.seq for entry in short] == [entry.seq for entry in entries]
    lengths = [len(text_of(entry.message)) for entry in short]
    assert all(one == size or one < size for one, size in zip(lengths, sizes, strict=True))
    untouched = [size for one, size in zip(lengths, sizes, strict=True) if one == size]
    touched = [size for one, size in zip(lengths, sizes, strict=True) if one != size]
    assert not touched or max(untouched, default=0) <= min(touched)
    assert sum(count_for_prompt(text_of(entry.message)) for entry in short) <= tokens + 16 * len(entries)


@pytest.mark.parametrize("step", [1, -1])
def test_what_was_cut_is_written_as_it_is(step: int) -> None:
    """A transcript of shortened entries has the shortened words, and one of the log the whole ones, in any order."""
    entry = Entry(1, {"role": "user", "content": f"Begin {'x' * 3000} end."}, "t", datetime(2026, 5, 8, tzinfo=UTC))
    [short] = shorten_entries([entry], 200)
    render = Renderer(Labels("Human", "AI"), lambda: token_counter("approximate", ""), {}, {})
    entries = [entry, short][::step]
    assert [render.lines([one]) for one in entries] == [render.labels.line(one.message) for one in entries]
    assert [render.tokens(one) for one in entries] == [render.counter(one.message) for one in entries]
    assert render.tokens(short) < render.tokens(entry)
