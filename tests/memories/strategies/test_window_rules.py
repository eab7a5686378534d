"""The rules of the windows over messages: a row for each, by ours and by LangChain4j's."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.errors import OverBudgetError
from memzoo.memories import TokenWindowMemory
from memzoo.memories.text.messages import as_sent
from memzoo.memories.text.order import tell_calls_apart
from memzoo.stores import Message
from tests.conversations import Chatter, said
from tests.memories.strategies.windows import A1, A2, AB, RA, RB, RC, S2, U1, U2, U3, C, S, one, told, window, words

OVER = "over"

# What is added one by one, the limit in messages, what our rules show (or that they raise), what LangChain4j shows.
RULES: dict[str, tuple[list[Message], int, list[Message] | str, list[Message]]] = {
    "the oldest goes first": ([U1, A1, U2, A2], 3, [A1, U2, A2], [A1, U2, A2]),
    "what fits exactly stays": ([U1, A1, U2], 3, [U1, A1, U2], [U1, A1, U2]),
    "a system message is always kept": ([S, U1, A1, U2], 2, [S, U2], [S, U2]),
    "a system message that came later is kept too": ([U1, S, A1, U2, A2], 3, [S, U2, A2], [S, U2, A2]),
    "an equal system message is ignored": ([S, U1, S], 3, [S, U1], [S, U1]),
    "another system message replaces it": ([S, U1, S2], 3, [S2, U1], [U1, S2]),
    "results go with their call": ([U1, C, RC, A1, U2], 3, [A1, U2], [A1, U2]),
    "all results go with their call": ([U1, AB, RA, RB, A1, U2, A2], 5, [A1, U2, A2], [A1, U2, A2]),
    "results are matched by id, wherever they stand": ([C, U1, RC], 3, [C, RC, U1], [C, U1, RC]),
    "a late result of an evicted call is not shown": ([U1, C, U2, A2, RC], 3, [U2, A2], [U2, A2, RC]),
    "an orphan result is never sent": ([RC, U1], 3, [U1], [RC, U1]),
    "a call without results is never sent": ([U1, C, U2], 3, [U1, U2], [U1, C, U2]),
    "a call without one of its results is never sent": ([U1, AB, RA], 3, [U1], [U1, AB, RA]),
    "a live tool loop is never evicted": ([S, U1, C, RC], 2, OVER, [S]),
    "a block of parallel calls is never torn": ([U1, AB, RA, RB], 2, OVER, []),
    "no result outlives its call": ([S, U1, AB, RA, RB], 2, OVER, [S, RB]),
    "the newest user message is never lost": ([S, U1], 1, OVER, [S]),
    "nor after its answer": ([U1, A1], 1, [U1], [A1]),
    "without a user message the last one stays": ([A1, A2], 1, [A2], [A2]),
}


class TestRules:
    """The rules, a row for each."""

    @pytest.mark.parametrize("rule", RULES)
    def test_ours(self, rule: str) -> None:
        """What can be sent, within the limit, with the newest user message; or an error that says by how much."""
        messages, limit, expected, _ = RULES[rule]
        memory = told(window(limit=limit), *messages)
        if expected is OVER:
            with pytest.raises(OverBudgetError, match=f"{len(messages) - limit} more than the limit of {limit};"):
                memory.messages()
        else:
            assert memory.messages() == expected
        assert memory.history() == messages

    @pytest.mark.parametrize("rule", [rule for rule in RULES if RULES[rule][2] is OVER])
    def test_ours_with_what_is_too_large(self, rule: str) -> None:
        """With `oversized="keep"` all that must not go is shown, though it is over the limit, and nothing else."""
        messages, limit, _, _ = RULES[rule]
        assert told(window(limit=limit, oversized="keep"), U3, A1, *messages).messages() == messages

    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_pins_over_the_limit(self, rules: str) -> None:
        """They are an error, or shown with what each rule keeps in any case: the newest question, or nothing."""
        for oversized in ("raise", "keep"):
            memory = told(window(rules, limit=1, oversized=oversized), U1, A1, U3)
            memory.pin([1, 2])
            if oversized == "raise":
                with pytest.raises(OverBudgetError, match="more than the limit of 1"):
                    memory.messages()
            else:
                assert memory.messages() == [U1, A1, *([U3] if rules == "memzoo" else [])]

    @pytest.mark.parametrize("rule", RULES)
    def test_langchain4js(self, rule: str) -> None:
        """What LangChain4j shows, message for message, where it is broken too."""
        messages, limit, _, expected = RULES[rule]
        memory = told(window("langchain4j", limit), *messages)
        assert memory.messages() == expected
        assert memory.history() == messages

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_are_the_same_for_tokens(self, rules: str, rule: str) -> None:
        """A token window in which each message has one token shows what a message window shows."""
        messages, limit, *expected = RULES[rule]
        memory = TokenWindowMemory(max_token_limit=limit, token_counter=one, rules=rules)  # type: ignore[arg-type]
        wanted = expected[rules == "langchain4j"]
        if wanted is OVER:
            with pytest.raises(OverBudgetError, match="tokens"):
                told(memory, *messages).messages()
        else:
            assert told(memory, *messages).messages() == wanted

    @pytest.mark.parametrize(("rules", "expected"), [("memzoo", [S2, U1, A1]), ("langchain4j", [U1, S2, A1])])
    def test_place_of_a_changed_system_message(self, rules: str, expected: list[Message]) -> None:
        """It stands first, or with LangChain4j's rules where it was said, behind what was said before it."""
        assert told(window(rules, 4), S, U1, S2, A1, S2).messages() == expected

    def test_a_developer_message_is_a_system_message(self) -> None:
        """OpenAI's newer name of the role makes no difference."""
        developer = said("developer", "Be kind.")
        assert told(window(limit=2), S, U1, A1, developer, U2).messages() == [developer, U2]

    def test_function_calls_of_old_go_with_their_results_too(self) -> None:
        """Calls from before there were tools are matched by the name of the function."""
        asked: Message = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
        found: Message = {"role": "function", "name": "f", "content": "1"}
        assert told(window(limit=4), found, U1, asked, found).messages() == [U1, asked, found]
        assert told(window(limit=2), U1, asked, found, A1, U2).messages() == [A1, U2]
        assert told(window(limit=9), U1, asked).messages() == [U1]


class TestExchanges:
    """`evict="exchange"`: Spring AI's rule."""

    def test_whole_exchanges_go(self) -> None:
        """What is shown begins with a user message, though more would fit."""
        memory = told(window(limit=4, evict="exchange"), S, U1, A1, U2, A2)
        assert memory.messages() == [S, U2, A2]

    def test_a_greeting_is_no_exchange(self) -> None:
        """What stands before the first user message is not shown behind it."""
        assert told(window(limit=9, evict="exchange"), A1, U1).messages() == [U1]
        assert told(window(limit=9, evict="exchange"), A1).messages() == [A1]

    def test_a_live_exchange_stays(self) -> None:
        """The tool loop that is under way is shown whole, and the exchange before it goes whole."""
        assert told(window(limit=5, evict="exchange"), U1, A1, U2, C, RC).messages() == [U1, A1, U2, C, RC]
        assert told(window(limit=4, evict="exchange"), U1, A1, U2, C, RC).messages() == [U2, C, RC]

    def test_a_finished_exchange_that_is_too_large_loses_its_tools_first(self) -> None:
        """There is always something to show, and it begins with the user message."""
        assert told(window(limit=2, evict="exchange"), U1, C, RC, A1).messages() == [U1, A1]


def documented(messages: list[tuple[Message, int]], weight: Callable[[Message], int]) -> list[Message]:
    """LangChain4j's algorithm, step by step as it is documented: who reads has the limit of that moment kept, too."""
    held: list[Message] = []
    for message, limit in messages:
        if message["role"] in ("system", "developer"):
            known = [one for one in held if one["role"] in ("system", "developer")]
            if known and known[0] == message:
                continue
            held = [one for one in held if not any(one is other for other in known[:1])]
        held.append(message)
        evict(held, limit, weight)
    evict(held, messages[-1][1], weight)
    return [*tell_calls_apart(map(as_sent, held))]


def evict(held: list[Message], limit: int, weight: Callable[[Message], int]) -> None:
    """Take out the oldest messages until the rest fits; results go with their call, and the system message stays."""
    while sum(map(weight, held)) > limit and held:
        index = int(held[0]["role"] in ("system", "developer"))
        if index == len(held):
            break
        gone = held.pop(index)
        while gone.get("tool_calls") and index < len(held) and held[index]["role"] == "tool":
            held.pop(index)


@given(some.randoms(use_true_random=False), some.sampled_from([words, one]))
def test_langchain4js_rules_hold_for_any_messages(random: Random, weigh: Callable[[Message], int]) -> None:
    """Whatever is said, and however the limit changes, the memory is what the documented algorithm gives."""
    chatter, limits = Chatter(random), list[int]()
    memory = TokenWindowMemory(max_token_limit=lambda _: limits[-1], token_counter=weigh, rules="langchain4j")
    added: list[tuple[Message, int]] = []
    for _ in range(random.randrange(1, 15)):
        limits.append(random.choice((1, 2, 3, 5, 8)))
        added.append((chatter.message(), limits[-1]))
        memory.add_messages([added[-1][0]])
        assert memory.messages() == documented(added, weigh)
