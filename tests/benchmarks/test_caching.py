"""What requests cost with a prompt cache, reckoned by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.benchmarks.measure.caching import CACHES, CacheRule, PromptCache, Requests, count_shared
from memzoo.stores import Message

BY_ONE = CacheRule("by one")


def count(text: str) -> int:
    """Words; with its frame of one token, a message of n words counts n + 1."""
    return len(text.split())


def said(*texts: str) -> list[Message]:
    """Messages of user and assistant in turn."""
    return [{"role": ("user", "assistant")[number % 2], "content": text} for number, text in enumerate(texts)]


def words(number: int, word: str = "word") -> str:
    """A text of so many words, which begins with its own number."""
    return " ".join([f"{word}-{number}", *[word] * (number - 1)])


THREE = (
    said(words(1099)),  # 1,100 tokens
    said(words(1099), words(99), words(199)),  # 1,100 + 100 + 200
    said(words(1099), words(99), words(9)),  # the third message is another one: 1,100 + 100 + 10
)


def reckoned(rule: CacheRule, *, pause: float = 1.0, system_tokens: int = 0) -> list[Requests]:
    """The three requests, with so many seconds between them."""
    cache = PromptCache(rule, count, system_tokens=system_tokens, frame=(1, 0))
    return [cache.send(request, number * pause) for number, request in enumerate(THREE)]


def test_openai_keeps_beginnings_from_1024_tokens_in_steps_of_128() -> None:
    """Of 1,100 tokens that are repeated 1,024 are kept; of 1,201 (two messages and a role) 1,152; a tenth is paid."""
    found = reckoned(CACHES["openai"])
    assert found == [Requests(1, 1100), Requests(1, 1400, 1024), Requests(1, 1210, 1152)]
    assert [CACHES["openai"].paid(one) for one in found] == pytest.approx([1100, 1400 - 921.6, 1210 - 1036.8])


def test_anthropic_keeps_whole_messages_and_takes_a_price_for_writing() -> None:
    """1,100 tokens are written by the first request and read by the second, which writes 100 more for the third."""
    found = reckoned(CACHES["anthropic"])
    assert found == [Requests(1, 1100), Requests(1, 1400, 1100, 1100), Requests(1, 1210, 1200, 100)]
    whole = found[0] + found[1] + found[2]
    assert CACHES["anthropic"].paid(whole) == pytest.approx(3710 - 0.9 * 2300 + 0.25 * 1200)


def test_deepseek_keeps_multiples_of_64_at_a_fiftieth() -> None:
    """1,088 of 1,100 tokens and 1,152 of 1,201 are kept."""
    found = reckoned(CACHES["deepseek"])
    assert [one.cached for one in found] == [0, 1088, 1152]
    assert CACHES["deepseek"].paid(found[1]) == pytest.approx(1400 - 0.98 * 1088)


def test_without_a_cache_all_is_paid() -> None:
    """What is sent is paid."""
    found = reckoned(CACHES["none"])
    assert [(one.cached, CACHES["none"].paid(one)) for one in found] == [(0, 1100), (0, 1400), (0, 1210)]


@pytest.mark.parametrize(("name", "seconds"), [("openai", 600), ("anthropic", 300), ("deepseek", 10_800)])
def test_a_longer_pause_empties_the_cache(name: str, seconds: float) -> None:
    """What was kept is there for as long as the provider keeps it, and not a second longer."""
    assert reckoned(CACHES[name], pause=seconds)[1].cached > 0
    assert reckoned(CACHES[name], pause=seconds + 1)[1].cached == 0


def test_what_was_written_is_paid_even_if_it_is_gone_when_it_is_wanted() -> None:
    """With a pause, each request of Anthropic's writes all of its beginning anew."""
    assert [one.written for one in reckoned(CACHES["anthropic"], pause=301)] == [0, 1100, 1200]


def test_what_stands_before_the_memory_counts_for_the_beginning() -> None:
    """With a system prompt of 1,000 tokens, the second request repeats 2,100: 2,048 of them are kept."""
    assert reckoned(CACHES["openai"], system_tokens=1000)[1] == Requests(1, 2400, 2048)


def test_a_change_of_speaker_ends_the_beginning() -> None:
    """The same words of somebody else are not the same request."""
    cache = PromptCache(BY_ONE, count, frame=(1, 0))
    cache.send([{"role": "user", "content": "a b c"}])
    assert cache.send([{"role": "assistant", "content": "a b c"}]).cached == 0


def test_marks_around_messages_count_with_whole_messages() -> None:
    """Three tokens before each message and one after it; of one that ends differently, those before it are repeated."""
    cache = PromptCache(BY_ONE, count)
    cache.send(said("a b", "c d"))
    assert cache.send(said("a b", "c e")) == Requests(1, 6 + 6, 6 + 3 + 1)


def test_what_only_grows_is_reckoned_without_being_gone_through() -> None:
    """By its size alone, as if each request had been sent message by message."""
    slow, fast = PromptCache(CACHES["openai"], count), PromptCache(CACHES["openai"], count)
    talk = [*said(*(words(100 + number) for number in range(30)))]
    for end in range(0, 30, 2):
        asked = talk[end]
        before = sum(count(message["content"]) for message in talk[:end])
        assert fast.grow(before, end, [asked], 0.0) == slow.send([*talk[:end], asked])


SAID = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text("ab ", max_size=6)), max_size=6)


def size(said: list[tuple[str, str]]) -> int:
    """Letters."""
    return sum(len(text) for _, text in said)


@given(SAID, SAID)
def test_no_more_is_shared_than_either_request_has(before: list[tuple[str, str]], now: list[tuple[str, str]]) -> None:
    """Letter by letter: what two requests share is the length of their common beginning, whichever comes first."""
    shared = count_shared(before, now, len)
    assert shared == count_shared(now, before, len) <= min(size(before), size(now))
    assert count_shared(before, before, len) == size(before)
    assert count_shared(before, now, len, whole=True) <= shared


@given(st.integers(0, 20_000), st.sampled_from(sorted(CACHES)))
def test_what_is_kept_lies_within_a_step_of_what_is_shared(shared: int, name: str) -> None:
    """At least the minimum, at most what is shared, and less than a step below it."""
    rule = replace(CACHES[name])
    kept = rule.count_kept(shared)
    assert kept == 0 if shared < rule.minimum else shared - max(rule.step, 1) < kept <= shared
