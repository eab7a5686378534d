"""Counting tokens: by tiktoken, approximately, by a function of one's own; never silently by another one."""

import os
from pathlib import Path
from typing import Any

import pytest
import tiktoken

from memzoo.memories import ChatModel, ConversationSummaryBufferMemory
from memzoo.memories.text.tokens import count_text, token_counter
from memzoo.stores import Message
from memzoo.stores.errors import OptionError, TokenizerError

TEXT = "The quick brown fox jumps over the lazy dog; 狐狸跳过懒狗。"
MESSAGE: Message = {"role": "user", "content": TEXT}

needs_vocabulary = pytest.mark.skipif(
    "TIKTOKEN_CACHE_DIR" not in os.environ,
    reason="tiktoken's vocabularies are not installed (llama-index-core has them)",
)


@needs_vocabulary
class TestTiktoken:
    """Counters by name."""

    @pytest.mark.parametrize(
        ("name", "encoding"),
        [
            ("gpt-4o-mini", "o200k_base"),
            ("gpt-4", "cl100k_base"),
            ("cl100k_base", "cl100k_base"),
            ("o200k_base", "o200k_base"),
        ],
    )
    def test_counts_as_the_model_does(self, name: str, encoding: str) -> None:
        """A model's name, or an encoding's, counts the tokens of that encoding."""
        counter = token_counter(name)
        assert counter.name == encoding
        assert counter(MESSAGE) == len(tiktoken.get_encoding(encoding).encode(TEXT)) == count_text(TEXT, encoding)

    @pytest.mark.parametrize(("model", "encoding"), [("gpt-4", "cl100k_base"), ("my-own-model", "o200k_base")])
    def test_follows_the_model_of_the_memory(self, model: str, encoding: str) -> None:
        """Without a counter the model's encoding counts; a model that tiktoken does not know counts as the newest."""
        memory = ConversationSummaryBufferMemory(llm=ChatModel(model))
        assert memory.counter.name == encoding

    def test_of_the_memory_goes_before_that_of_the_model(self) -> None:
        """A counter that is chosen for the memory counts, whatever the model."""
        counter = "gpt-4"
        memory = ConversationSummaryBufferMemory(llm=ChatModel("gpt-4o"), token_counter=counter)
        assert memory.counter.name == "cl100k_base"

    @pytest.mark.parametrize("text", ["<|endoftext|>", "<|fim_prefix|> hi", "", "\ud83d"])
    def test_counts_any_text(self, text: str) -> None:
        """Special tokens in what a user says are text like any other (I8)."""
        assert token_counter("gpt-4o")({"role": "user", "content": text}) >= (1 if text else 0)

    def test_counts_tool_calls_and_pictures(self) -> None:
        """What stands in a message besides text counts with the words that stand for it (T3)."""
        call: Message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}],
        }
        assert token_counter("gpt-4o")(call) > 5
        assert token_counter("gpt-4o")({"role": "user", "content": [{"type": "image_url", "image_url": {}}]}) > 0


class TestOthers:
    """Counters that need no vocabulary."""

    @pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("x" * 400, 100)])
    def test_approximate(self, text: str, tokens: int) -> None:
        """The approximate counter, by its name only, takes four characters for a token, rounded up."""
        counter = token_counter("approximate")
        assert counter({"role": "user", "content": text}) == tokens
        assert counter.name == "approximate"

    def test_function(self) -> None:
        """A function counts one message; its name tells its counts from others'."""

        def ten(message: Message) -> int:
            return 10 * len(message["content"])

        counter = token_counter(ten)
        assert counter({"role": "user", "content": "abc"}) == 30
        assert "ten" in counter.name

    @pytest.mark.parametrize("tokens", [-1, 1.5, None, "7", [1]])
    def test_function_that_does_not_count(self, tokens: Any) -> None:
        """What is no count is an error that names the function and the message."""
        counter = token_counter(lambda _: tokens)
        with pytest.raises(TokenizerError, match=r"lambda.* gave .* for .*fox.*; it must be an int >= 0"):
            counter(MESSAGE)

    @pytest.mark.parametrize("option", ["gpt-99-imagined", "aproximate", 7])
    def test_unknown_name(self, option: Any) -> None:
        """A name that is no model's and no encoding's is an error that lists what there is."""
        with pytest.raises(OptionError, match="approximate"):
            token_counter(option)


class TestUnreachable:
    """A machine that cannot get the vocabulary."""

    @pytest.fixture(autouse=True)
    def _cut_off(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
        monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
        monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})

    def test_is_told_what_to_do(self) -> None:
        """There is no silent guess: the error names the two ways out, for code and for the command line."""
        counter = token_counter("p50k_edit")
        with pytest.raises(
            TokenizerError, match=r"set TIKTOKEN_CACHE_DIR .* token_counter='approximate' .*--token-counter "
        ):
            counter(MESSAGE)
