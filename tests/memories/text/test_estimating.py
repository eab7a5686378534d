"""The estimate of tokens: families of tokenizers, parts that are not text, and the bounds of learning."""

import gc
import json
import weakref
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.errors import OptionError
from memzoo.memories import create_memory
from memzoo.memories.text.estimating import Estimate, Factors, tokenizer_of
from memzoo.memories.text.media import weigh_parts
from memzoo.memories.text.tokens import token_counter
from memzoo.stores import Entry
from memzoo.stores.base import ANSWER

if TYPE_CHECKING:
    from memzoo.stores import Message

CHINESE, KANA = "我姐姐安娜住在奥斯陆她是小学老师", "あなたはオスロにすんでいます"
KOREAN = "안나는오슬로에산다동생은서울에산다"


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("Qwen/Qwen3-8B", "qwen"),
        ("qwq:32b", "qwen"),
        ("deepseek-r1-distill-qwen-7b", "qwen"),
        ("ollama/gemma3:4b", "gemma"),
        ("gemini-3-pro", "gemma"),
        ("meta-llama/Llama-3.3-70B", "llama"),
        ("deepseek-chat", "deepseek"),
        ("mistralai/Ministral-8B", "mistral"),
        ("codestral-latest", "mistral"),
        ("pixtral-12b", "mistral"),
        ("claude-opus-5", ""),
        ("my-own-model", ""),
        ("", ""),
    ],
)
def test_a_models_name_tells_its_family(model: str, family: str) -> None:
    """A model that is distilled into another has the other one's tokenizer; a name nobody knows has the default."""
    assert tokenizer_of(model).name == family
    assert token_counter(None, model).name == f"approximate {family}".strip()


def test_families_differ_where_their_tokenizers_do() -> None:
    """Qwen and Gemma have a token for each digit, DeepSeek few for Chinese, Mistral many, Gemma few for kana."""
    count = {name: Estimate(name).count_text for name in ("qwen", "gemma", "deepseek", "mistral", "")}
    assert (
        count["qwen"]("20261128") == count["gemma"]("20261128") == count["mistral"]("20261128") > count[""]("20261128")
    )
    assert count["deepseek"](CHINESE) <= count["qwen"](CHINESE) < count[""](CHINESE) < count["mistral"](CHINESE)
    assert count["gemma"](KANA) < count[""](KANA)
    assert all(len(KOREAN) * 0.7 < one(KOREAN) < len(KOREAN) * 1.1 for one in count.values())


def test_a_family_can_be_chosen_by_name() -> None:
    """`token_counter` takes a model's name, and the name that a counter has; an unknown name is an error."""
    assert token_counter("qwen3").name == token_counter("approximate qwen").name == "approximate qwen"
    assert token_counter("approximate", "qwen3").name == "approximate qwen"
    with pytest.raises(OptionError, match="'my-own-model' is neither a model with a known tokenizer"):
        token_counter("my-own-model")


@pytest.mark.parametrize(("counter", "fit"), [("approximate", 201), ("gpt-4o", 200)])
def test_a_message_costs_more_than_its_words(counter: str, fit: int) -> None:
    """1,000 tokens hold about 200 messages of a word, since each has a frame."""
    memory = create_memory("token-window", max_token_limit=1000, token_counter=counter)
    memory.add_messages([{"role": role, "content": "ok"} for _ in range(300) for role in ("user", "assistant")])
    assert len(memory.messages()) == fit


def test_short_messages_add_up() -> None:
    """Many messages of a word count as their words in one text and their frames: no message is rounded by itself."""
    estimate, words = Estimate("deepseek-chat"), "ok fine thanks sure done again why good".split()
    frames = len(words) * estimate.factors.frame
    one_by_one = sum(estimate.count_message({"role": "user", "content": word}) for word in words)
    assert one_by_one == pytest.approx(estimate.count_text(" ".join(words)) + frames, abs=0.6)


def test_pictures_have_a_weight() -> None:
    """Of thirty pictures, few fit into 500 tokens."""
    memory = create_memory("token-window", max_token_limit=500, token_counter="approximate")
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "QUJD" * 3000}}
    for number in range(30):
        content = [{"type": "text", "text": f"Photo {number}"}, picture]
        memory.add_messages([{"role": "user", "content": content}, {"role": "assistant", "content": "A dog."}])
    assert 1 <= sum(isinstance(message["content"], list) for message in memory.messages()) <= 5


KILOBYTES = "QUJD" * 100_000


@pytest.mark.parametrize(
    ("part", "least", "most"),
    [
        ({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}, 765, 765),
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{KILOBYTES}", "detail": "low"}}, 85, 85),
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{KILOBYTES}"}}, 1_000, 1_445),
        ({"type": "input_image", "image_url": f"data:image/png;base64,{KILOBYTES}"}, 1_000, 1_445),
        ({"type": "image", "source": {"type": "base64", "data": KILOBYTES}}, 1_000, 1_445),
        ({"type": "image_url", "image_url": "https://example.org/a.png"}, 765, 765),
        ({"type": "input_audio", "input_audio": {"data": KILOBYTES, "format": "mp3"}}, 300, 1_000),
        ({"type": "file", "file": {"file_data": f"data:application/pdf;base64,{KILOBYTES}"}}, 5_000, 10_000),
        ({"type": "file", "file": {"file_id": "file-1"}}, 2_000, 2_000),
        ({"type": "document", "source": {"type": "text", "data": "short"}}, 500, 501),
        ({"type": "text", "text": "Hi"}, 0, 0),
        ({"type": "thinking", "thinking": "Hm"}, 0, 0),
    ],
)
def test_a_part_weighs_by_its_kind_and_size(part: dict[str, Any], least: int, most: int) -> None:
    """A picture by a URL weighs as much as one of usual size, a small picture at least 85."""
    assert least <= weigh_parts({"role": "user", "content": [part]}) <= most


@given(some.lists(some.tuples(some.text(max_size=200), some.integers(0, 10**7)), max_size=20))
def test_learning_stays_within_bounds(answers: list[tuple[str, int]]) -> None:
    """For any requests and counts: factors stay within bounds, counts at least 0, and a step is at least 3 %."""
    estimate = Estimate()
    for text, counted in answers:
        request: list[Message] = [{"role": "user", "content": text}]
        name, before = estimate.name, estimate.count_message(request[0]) + estimate.factors.base
        estimate.learn(request, (), counted)
        assert all(0.3 <= factor <= 3 for factor in estimate.learnt[:4])
        assert estimate.count_message(request[0]) >= 0
        if before > 200 and estimate.name != name:
            after = estimate.count_message(request[0]) + estimate.factors.base
            assert abs(after / before - 1) >= 0.02
    assert isinstance(estimate.factors, Factors)


@pytest.mark.parametrize("counted", [{}, {"as": "qwen"}, {"as": "qwen", "factors": [1.0], "learnt": [1.0]}, None])
def test_factors_that_nobody_knows_are_passed_over(counted: Any) -> None:
    """Those of another version, or out of bounds, count as none; older ones of the family are found behind them."""
    estimate, known = Estimate("qwen3"), Estimate("qwen3")
    told = known.learn([{"role": "user", "content": "How are you today? " * 50}], [], 400)
    impossible = {"as": "qwen", "factors": [9.0] * 6, "learnt": [9.0] * 6}
    fields = [{ANSWER: json.dumps({"counted": one})} for one in (counted, impossible, told)]
    said, now = {"role": "assistant", "content": "Hi."}, datetime.now(UTC)
    entries = [Entry(9 - place, said, "t", now, dict(one)) for place, one in enumerate(fields)]
    assert estimate.follow(entries)
    assert estimate.factors == known.factors != Factors(frame=5)


def test_a_counted_text_does_not_stay() -> None:
    """A text that is deleted everywhere else is not kept for the next count."""

    class Text(str):
        __slots__ = ("__weakref__",)

    text, estimate = Text("My card is 4111 1111."), Estimate()
    count, gone = estimate.count_message({"role": "user", "content": text}), weakref.ref(text)
    assert estimate.count_message({"role": "user", "content": str(text)}) == count
    del text
    gc.collect()
    assert gone() is None
