"""What the tests of the windows share: messages by short names, and windows over them."""

from typing import Any

from memzoo.memories import MessageWindowMemory
from memzoo.memories.strategies.windows import Limit, WindowMemory
from memzoo.stores import Message
from tests.conversations import call, result, said

S, S2 = said("system", "Be brief."), said("system", "Be kind.")
U1, U2, U3 = (said("user", f"question {number}") for number in (1, 2, 3))
A1, A2 = said("assistant", "answer 1"), said("assistant", "answer 2")
C, RC = call("c"), result("c")
AB, RA, RB = call("a", "b"), result("a"), result("b")


def words(message: Message) -> int:
    """A token counter: a token for each word."""
    return len(str(message["content"]).split())


def one(message: Message) -> int:
    """A token counter: a token for each message."""
    return 1


def window(rules: Any = "memzoo", limit: Limit = 3, **options: Any) -> MessageWindowMemory:
    """A message window."""
    return MessageWindowMemory(max_messages=limit, rules=rules, **options)


def told(memory: WindowMemory, *messages: Message) -> WindowMemory:
    """A memory to which messages were added one by one."""
    for message in messages:
        memory.add_messages([message])
    return memory
