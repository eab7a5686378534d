"""Conversations with tools through a provider's HTTP interface, over every strategy, with pins and cleared results.

`python -m tests.memories.agents --count 1000` has that many with each of them.
"""

import argparse
import logging
import time
from random import Random

from memzoo.memories import create_memory
from memzoo.stores import Message
from tests.conversations import Agent, said
from tests.memories.sequences import SPECIES, Models, options, words
from tests.provider import Provider

ROUNDS = 3


class Talk:
    """An agent with a memory: it stores what was said at once, and sends what the memory shows.

    Attributes:
        provider: Refuses what cannot be sent.
    """

    def __init__(self, name: str, random: Random) -> None:
        self.random, self.agent = random, Agent(random)
        self.provider = Provider(self.agent.reply)
        self.client = self.provider.client()
        own = options(name, random.choice((8, 20, 60)), Models(), random)
        # In a window that raises, an agent with many tools has to stop; here it goes on.
        own |= {"oversized": "keep"} if "oversized" in own else {}
        own |= {"max_token_limit": 500} if name == "combined" else {}
        clearing = {"keep": random.randrange(3), "step": random.choice((1, 5))}
        own |= {"clear_tool_results": random.choice((None, clearing))}
        self.memory = create_memory(name, token_counter=words, **own, learn_every=1)

    def turns(self, count: int) -> int:
        """Take turns; the number of requests that were accepted.

        Raises:
            openai.BadRequestError: The provider refused what the memory showed.
        """
        if self.random.random() < 0.5:
            self.memory.add_messages([said("system", "Be brief.")])
        first: Message | None = None
        for number in range(count):
            question = said("user", f"Does Sam like tea {number}?")
            self.memory.add_messages([question], pinned=not number)
            first = first or question
            for _ in range(ROUNDS):
                reply = self.ask(question)
                assert first in self.memory.messages(question["content"]), "the pinned question is lost"
                self.memory.add_messages([reply, *self.agent.results(reply)])
                if not reply.get("tool_calls"):
                    break
        return len(self.provider.requests)

    def ask(self, question: Message) -> Message:
        """Send what the memory shows, and give what comes back, as programs store it."""
        messages = self.memory.messages(question["content"])
        assert question in messages, "the question is lost"
        completion = self.client.chat.completions.create(model="m", messages=messages)  # type: ignore[arg-type]
        return completion.choices[0].message.model_dump(exclude_unset=self.random.random() < 0.5)


def talk(name: str, seed: int, turns: int) -> int:
    """Have a conversation; the number of requests that were accepted."""
    one = Talk(name, Random(seed))  # noqa: S311 - no secret
    with one.client:
        return one.turns(turns)


def main() -> None:
    """Have many conversations, and say how many requests were accepted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="conversations with each strategy")
    parser.add_argument("--turns", type=int, default=4, help="turns of each")
    chosen = parser.parse_args()
    logging.getLogger("memzoo").setLevel(logging.ERROR)
    start = time.perf_counter()
    for name in SPECIES:
        accepted = sum(talk(name, seed, chosen.turns) for seed in range(chosen.count))
        print(f"{name}: {accepted} requests in {chosen.count} conversations, all accepted", flush=True)  # noqa: T201
    print(f"{time.perf_counter() - start:.0f} s")  # noqa: T201


if __name__ == "__main__":
    main()
