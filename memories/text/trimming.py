"""Trims a list of messages, for those who keep it themselves."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from memzoo.memories.options import one_of, whole_number
from memzoo.memories.text import tokens
from memzoo.memories.text.grouping import grouped, is_instruction
from memzoo.memories.text.messages import ROLES, checked
from memzoo.stores import Message
from memzoo.stores.errors import OptionError, OverBudgetError

__all__ = ["trim_messages"]

Roles: TypeAlias = str | Sequence[str] | None
"""A role, several, or any; LangChain's "human" and "ai" are understood."""

_LANGCHAIN_NAMES = {"human": "user", "ai": "assistant"}


def trim_messages(
    messages: Sequence[Message],
    max_tokens: int,
    token_counter: tokens.TokenCounterOption = None,
    strategy: Literal["last", "first"] = "last",
    *,
    start_on: Roles = None,
    end_on: Roles = None,
    include_system: bool = False,
) -> list[Message]:
    """Keep the last or the first messages of a list that fit a number of tokens.

    Messages are indivisible. A tool call goes with its results: of a list that a provider accepts, what is left is
    accepted too. The list itself is left alone.

    Args:
        messages: OpenAI chat messages, oldest first.
        max_tokens: Tokens that all of them may have together.
        token_counter: A model's name for tiktoken, `"approximate"`, or a callable: one message -> its tokens.
            `lambda message: 1` counts messages.
        strategy: Keep the `"last"` messages or the `"first"`.
        start_on: What is left begins with a message of this role (the system message aside); only for `"last"`.
        end_on: What is left ends with a message of this role. With `"last"`, later ones are left out before counting.
        include_system: Keep the system message, if the list begins with one, before all others; only for `"last"`.

    Raises:
        OptionError: An option has a value that cannot work.
        MessageError: One of the messages is none.
        OverBudgetError: The system message that is to be kept is over the limit.

    Example:
        >>> said = [{"role": role, "content": role} for role in ("system", "user", "assistant", "user")]
        >>> [message["role"] for message in trim_messages(said, 2, lambda message: 1)]
        ['assistant', 'user']
        >>> trimmed = trim_messages(said, 3, lambda message: 1, start_on="user", include_system=True)
        >>> [message["role"] for message in trimmed]
        ['system', 'user']
    """
    whole_number("max_tokens", max_tokens, at_least=0)
    one_of("strategy", strategy, "last", "first")
    if strategy == "first" and (start_on or include_system):
        raise OptionError("start_on and include_system are only for strategy='last', not for 'first'")
    starts, ends = _roles("start_on", start_on), _roles("end_on", end_on)
    left = [checked(message) for message in messages]
    count = tokens.token_counter(token_counter)
    system = left[:1] if include_system and left and is_instruction(left[0]) else []
    room = max_tokens - sum(map(count, system))
    if room < 0:
        raise OverBudgetError.of("the system message", max_tokens - room, max_tokens)
    left = left[len(system) :]
    last = strategy == "last"
    left = _fitting(_ending(left, ends)[::-1], room, count)[::-1] if last else _fitting(left, room, count)
    while (trimmed := _ending(_starting(_whole(left), starts), ends)) != left:
        left = trimmed
    return system + left


def _roles(option: str, given: Roles) -> set[str]:
    names = [given] if isinstance(given, str) else list(given or ROLES)
    roles = {_LANGCHAIN_NAMES.get(name, name) for name in names}
    if unknown := roles - set(ROLES):
        raise OptionError(f"{option} must be of {', '.join(ROLES)}, not {', '.join(map(repr, sorted(unknown)))}")
    return roles


def _fitting(messages: Sequence[Message], room: int, count: tokens.TokenCounter) -> list[Message]:
    kept: list[Message] = []
    for message in messages:
        room -= count(message)
        if room < 0:
            break
        kept.append(message)
    return kept


def _starting(messages: list[Message], roles: set[str]) -> list[Message]:
    return messages[next((place for place, one in enumerate(messages) if one["role"] in roles), len(messages)) :]


def _ending(messages: list[Message], roles: set[str]) -> list[Message]:
    return messages[: max((place for place, one in enumerate(messages, 1) if one["role"] in roles), default=0)]


def _whole(messages: list[Message]) -> list[Message]:
    """Leave out calls without all their results, and results without their call."""
    return [messages[place] for place in sorted(place for group in grouped(messages) for place in group)]
