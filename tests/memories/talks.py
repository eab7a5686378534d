"""Random talks over every window: what is shown is in the log, and whoever opens the store anew is shown the same.

`python -m tests.memories.talks --count 20000 --jobs 2` runs that many of them. It goes on after a fault.
"""

import argparse
import functools
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from memzoo.errors import OverBudgetError
from memzoo.memories import create_memory, delete_old
from memzoo.memories.strategies.windows import WindowMemory
from memzoo.memories.text.messages import as_sent
from memzoo.memories.text.view import Shown
from memzoo.stores import EncryptedStore, InMemoryStore, Message, MessageListStore, Store, open_store
from memzoo.strategy import text_of
from tests.conversations import Chatter

if TYPE_CHECKING:
    from collections.abc import Callable

STORES = ("memory", "list", "sqlite", "encrypted")
LIMITS = {"message-window": "max_messages", "token-window": "max_token_limit"}
KEY = "a" * 43 + "="


def words(message: Message) -> int:
    """A token counter: each word, and one for the message."""
    return len(text_of(message).split()) + 1


class Clock:
    """Goes on by a minute with each look at it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        """The next minute."""
        self.now += timedelta(minutes=1)
        return self.now


class Talk:
    """One talk over one window, with options that stay as they are.

    Args:
        random: Where chance comes from.
        folder: For the files of stores.
        kind: One of `STORES`; any by default.
    """

    def __init__(self, random: Random, folder: Path, kind: str | None = None) -> None:
        self.random, self.chatter, self.clock = random, Chatter(random), Clock()
        self.kind = kind or random.choice(STORES)
        self.lists: dict[str, list[Message]] = {}
        self.open: Callable[[], Store]
        if self.kind == "list":
            self.open = self._over_list
        elif self.kind == "sqlite":
            self.open = functools.partial(open_store, f"sqlite:///{folder / 'talk.db'}", clock=self.clock)
        else:
            within = InMemoryStore(clock=self.clock)
            self.open = lambda: within if self.kind == "memory" else EncryptedStore(within, KEY)
        self.name = random.choice(sorted(LIMITS))
        rules, limit = random.choice(("memzoo", "langchain4j")), random.choice((1, 2, 4, 6, 10))
        self.options: dict[str, Any] = {
            LIMITS[self.name]: limit if self.name == "message-window" else 6 * limit,
            "rules": rules,
            "keep_history": random.choice((True, False)),
            "oversized": random.choice(("raise", "keep")),
        }
        if rules == "memzoo":
            self.options |= {"step": random.choice((0, 0, 2, 4, 30)), "evict": random.choice(("message", "exchange"))}
        self.memory = self.opened()

    def _over_list(self) -> MessageListStore:
        def delete(id_: str) -> None:
            self.lists.pop(id_, None)

        return MessageListStore(
            get=lambda id_: list(self.lists.get(id_, [])),
            update=self.lists.__setitem__,
            delete=delete,
            clock=self.clock,
        )

    def opened(self) -> WindowMemory:
        """The memory as another process opens it."""
        common: dict[str, Any] = {"store": self.open(), "conversation_id": "c", "token_counter": words}
        memory = create_memory(self.name, **common, **self.options)
        assert isinstance(memory, WindowMemory)
        return memory

    def run(self, steps: int) -> Counter[str]:
        """Let things happen, and look at what is shown after each."""
        doings = [*[self.add] * 8, self.exchange, self.exchange, self.set, self.forget, self.edit, self.reopen]
        if self.kind != "list":  # which keeps neither pins nor times
            doings += [self.pin, self.unpin, self.retain]
        done = Counter[str]()
        for _ in range(steps):
            doing = self.random.choice(doings)
            try:
                doing()
                done[doing.__name__] += 1
                self.look()
            except Exception as error:
                error.add_note(f"at {doing.__name__}, of {dict(done)}, {self}")
                raise
        return done

    def __repr__(self) -> str:
        return f"{self.name} in {self.kind} with {self.options}"

    def add(self) -> None:
        """Add one to three messages."""
        self.memory.add_messages([self.chatter.message() for _ in range(self.random.choice((1, 1, 2, 3)))])

    def exchange(self) -> None:
        """Save a question and an answer."""
        self.memory.save_context({"input": self.chatter.text()}, {"output": self.chatter.text()})

    def set(self) -> None:
        """Let the view start over."""
        self.memory.set_messages([self.chatter.message() for _ in range(self.random.randrange(4))])

    def forget(self) -> None:
        """Forget one or two messages; sometimes all that is shown."""
        numbers = [entry.seq for entry in self.memory.entries()]
        if self.random.random() < 0.2:
            shown, _ = shown_by(self.memory)
            numbers = [entry.seq for entry in shown.entries if entry]
            self.memory.forget(numbers)
        else:
            self.memory.forget(self.random.sample(numbers, min(len(numbers), self.random.choice((1, 1, 2)))))

    def edit(self) -> None:
        """Say a question anew, with another answer; what followed it goes."""
        asked = [entry.seq for entry in self.memory.entries() if entry.message["role"] == "user"]
        if not asked:
            return
        last = self.random.choice(asked) - 1
        with suppress(OverBudgetError), self.memory.turn(self.chatter.text(), after=last) as turn:
            turn.messages()
            turn.add(self.chatter.text())

    def reopen(self) -> None:
        """Go on as another process."""
        self.memory = self.opened()

    def pin(self) -> None:
        """Pin a message."""
        for entry in self.random.sample(self.memory.entries(), min(len(self.memory.history()), 1)):
            self.memory.pin(entry.seq)

    def unpin(self) -> None:
        """Let go of a pin."""
        self.memory.pin(self.memory.pin()[:1], off=True)

    def retain(self) -> None:
        """Delete what is older than some message."""
        if entries := self.memory.entries():
            delete_old(self.memory.store, older_than=timedelta(0), now=self.random.choice(entries).created_at)

    def look(self) -> None:
        """Check what is shown."""
        shown, error = shown_by(self.memory)
        log = {entry.seq: besides_ids(as_sent(entry.message)) for entry in self.memory.entries()}
        if self.kind == "list":
            assert self.lists.get("c", []) == self.memory.history(), "the list is not the log"
        for message, entry in zip(shown, shown.entries, strict=True):
            assert entry is not None, f"{message} is of no log"
            assert log.get(entry.seq) == besides_ids(message), f"{message} is shown, and not in the log"
        assert shown_by(self.opened()) == (shown, error), "another view after a restart"


def besides_ids(message: Message) -> Message:
    """A message without the ids of calls: those that are given twice are told apart in a view."""
    calls = [call | {"id": ""} for call in message.get("tool_calls", ())]
    return (
        message | ({"tool_calls": calls} if calls else {}) | ({"tool_call_id": ""} if message["role"] == "tool" else {})
    )


def shown_by(memory: WindowMemory) -> tuple[Shown, str]:
    """What is shown, or why nothing is."""
    try:
        return memory.messages(), ""
    except OverBudgetError as error:
        return Shown(), str(error)


def talk(seed: int, steps: int, kind: str | None = None) -> Counter[str]:
    """Run the talk of a number; its options and all that happens follow from it."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return Talk(Random(seed), Path(folder), kind).run(steps)  # noqa: S311 - no secret
        except Exception as error:
            error.add_note(f"in talk {seed}")
            raise


def tried(seed: int, steps: int) -> str:
    """What is wrong with a talk; "" for nothing."""
    try:
        talk(seed, steps)
    except Exception as error:  # noqa: BLE001 - told by `main`
        return f"{error!r} {' '.join(error.__notes__)}"
    return ""


def main() -> None:
    """Run many talks, and say which had a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="talks")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first")
    parser.add_argument("--steps", type=int, default=12, help="what happens in each")
    parser.add_argument("--jobs", type=int, default=1, help="processes that run them")
    chosen = parser.parse_args()
    seeds = range(chosen.first, chosen.first + chosen.count)
    faults = 0
    with ProcessPoolExecutor(chosen.jobs) as processes:
        found = processes.map(functools.partial(tried, steps=chosen.steps), seeds, chunksize=20)
        for done, (seed, fault) in enumerate(zip(seeds, found, strict=True), 1):
            if fault:
                faults += 1
                print(f"FAULT {seed}: {fault}", flush=True)  # noqa: T201
            if done % 200 == 0 or done == len(seeds):
                print(f"{done} talks, {faults} faults", flush=True)  # noqa: T201
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
