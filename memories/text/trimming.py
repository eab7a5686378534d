"""Trims a list of messages, for programs that keep their own message lists."""

import contextlib
import inspect
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from memzoo.errors import OptionError, OverBudgetError
from memzoo.memories.options import one_of, whole_number
from memzoo.memories.text import tokens
from memzoo.memories.text.clearing import ClearToolResultsOption, clear_results, clearing_of
from memzoo.memories.text.context_windows import Tokens, tokens_of
from memzoo.memories.text.grouping import group_messages, is_instruction
from memzoo.memories.text.messages import ROLES, check_several, checked
from memzoo.stores import Message
from memzoo.text import copy_json

Roles: TypeAlias = str | type | Sequence[str | type] | None
"""A role, several roles, or `None` for any role; LangChain's "human", "ai" and message classes work too."""

Counter: TypeAlias = str | Callable[[Any], int] | None
"""A name for tiktoken, `"approximate"`, or a function that counts the tokens of a message or a list of messages."""

_Size: TypeAlias = Callable[[Sequence[Message]], float]

_LANGCHAIN_NAMES = {"human": "user", "ai": "assistant", "HumanMessage": "user", "AIMessage": "assistant"}
_LANGCHAIN_NAMES |= {"SystemMessage": "system", "ToolMessage": "tool"}
_LISTS = ("list", "Sequence", "Iterable", "Collection")
_SINGLE = ("dict", "Mapping", "Message")


def trim_messages(
    messages: Sequence[Message],
    max_tokens: Tokens,
    token_counter: Counter = None,
    strategy: Literal["last", "first"] = "last",
    *,
    start_on: Roles = None,
    end_on: Roles = None,
    include_system: bool = False,
    allow_partial: bool = False,
    clear_tool_results: ClearToolResultsOption = None,
) -> list[Message]:
    """Return the last or the first messages of a list that fit a token limit.

    Messages are kept or dropped whole, and tool calls together with their results. A provider that accepts the list
    therefore accepts the trimmed list, too. The list itself is not changed.

    Args:
        messages: OpenAI chat messages, oldest first.
        max_tokens: The maximum number of tokens in the result, or a share of the context window of the model in
            `token_counter`, such as `"80%"`.
        token_counter: A model's name for tiktoken, `"approximate"`, or a function that counts the tokens of a message
            or of a list of messages. `len` counts messages.
        strategy: `"last"` to keep the last messages, `"first"` to keep the first.
        start_on: The role of the result's first message (after the system message); only for `"last"`.
        end_on: The role of the result's last message. All messages after the list's last message with this role are
            left out.
        include_system: True to keep a system message at the beginning of the list; only for `"last"`.
        allow_partial: Must be false: messages are never divided, unlike in LangChain.
        clear_tool_results: Before trimming, replaces each old tool result with a short line; see the option of
            memories with the same name.

    Raises:
        OptionError: An option has an invalid value, or it is unclear whether `token_counter` counts a message or a
            list.
        MessageError: A message is invalid.
        OverBudgetError: The system message to keep exceeds the limit.

    Example:
        >>> said = [{"role": role, "content": role} for role in ("system", "user", "assistant", "user")]
        >>> [message["role"] for message in trim_messages(said, 2, len)]
        ['assistant', 'user']
        >>> trimmed = trim_messages(said, 3, len, start_on="user", include_system=True)
        >>> [message["role"] for message in trimmed]
        ['system', 'user']
    """
    limit: Any = tokens_of("max_tokens", max_tokens, token_counter if isinstance(token_counter, str) else "")
    whole_number("max_tokens", limit, at_least=0)
    one_of("strategy", strategy, "last", "first")
    if strategy == "first" and (start_on or include_system):
        raise OptionError("start_on and include_system are only for strategy='last', not for 'first'")
    if allow_partial:
        raise OptionError("allow_partial must be False: messages are indivisible; shorten their texts first")
    starts, ends = _roles("start_on", start_on), _roles("end_on", end_on)
    check_several(messages)
    left = [checked(message) for message in messages]
    size = _size(token_counter, left)
    if clearing := clearing_of(clear_tool_results):
        left = clear_results(left, clearing, lambda message: size([message]))
    system = left[:1] if include_system and left and is_instruction(left[0]) else []
    if system and (needed := size(system)) > limit:
        raise OverBudgetError.of("the system message", needed, limit)
    left = left[len(system) :]
    if strategy == "last":
        left = _end_at(left, ends)
        kept = _most(len(left), lambda number: size([*system, *left[len(left) - number :]]) <= limit)
        left = left[len(left) - kept :]
    else:
        left = left[: _most(len(left), lambda number: size(left[:number]) <= limit)]
    while (trimmed := _end_at(_start_at(_whole(left), starts), ends)) != left:
        left = trimmed
    return system + left


def _roles(option: str, given: Roles) -> set[str]:
    listed = [given] if isinstance(given, (str, type)) else list(given or ROLES)
    names = [name.__name__ if isinstance(name, type) else name for name in listed]
    roles = {_LANGCHAIN_NAMES.get(name, name) for name in names}
    if unknown := roles - set(ROLES):
        raise OptionError(f"{option} must be of {', '.join(ROLES)}, not {', '.join(map(repr, sorted(unknown)))}")
    return roles


def _size(option: Counter, messages: Sequence[Message]) -> _Size:
    """Return a function that counts the tokens of a list of messages; counts of single messages are cached."""
    if callable(option) and messages and _counts_lists(option, messages[0]):
        return lambda some: tokens.TokenCounter("", option)(list(some))  # type: ignore[arg-type]
    count, known = tokens.token_counter(option), dict[int, float]()

    def size(some: Sequence[Message]) -> float:
        for message in some:
            if id(message) not in known:
                known[id(message)] = count(message)
        return sum(known[id(message)] for message in some)

    return size


def _counts_lists(counter: Callable[[Any], int], sample: Message) -> bool:
    """Tell whether a token counter takes a list of messages, as most of LangChain's do, instead of a single message.

    Raises:
        OptionError: The function accepts both, and its annotation does not decide.
    """
    if counter is len:
        return True
    found: list[object] = [None, None]
    for place, given in enumerate((sample, [sample])):
        with contextlib.suppress(Exception):
            found[place] = counter(copy_json(given))
    single, listed = found
    if listed is None or single == listed:
        return False
    if single is None:
        return True
    with contextlib.suppress(ValueError, StopIteration):
        wanted = str(next(iter(inspect.signature(counter).parameters.values())).annotation)
        if any(name in wanted for name in (*_LISTS, *_SINGLE)):
            return any(name in wanted for name in _LISTS)
    raise OptionError(
        f"token_counter returned {single!r} for one message and {listed!r} for a list with it. Say which it "
        "counts by annotating its parameter, `message: dict` or `messages: list`; `len` counts messages"
    )


def _most(count: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to `count` that fits, if all smaller numbers fit; try few large numbers."""
    most = 1
    while most < count and fits(most):
        most *= 2
    return bisect_right(range(1, min(most, count) + 1), 0, key=lambda number: not fits(number))


def _start_at(messages: list[Message], roles: set[str]) -> list[Message]:
    return messages[next((place for place, one in enumerate(messages) if one["role"] in roles), len(messages)) :]


def _end_at(messages: list[Message], roles: set[str]) -> list[Message]:
    return messages[: max((place for place, one in enumerate(messages, 1) if one["role"] in roles), default=0)]


def _whole(messages: list[Message]) -> list[Message]:
    """Return the messages without incomplete tool calls and without results of missing calls."""
    return [messages[place] for place in sorted(place for group in group_messages(messages) for place in group)]
