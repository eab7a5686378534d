"""Random sequences of adds, pins, views, new limits and failing models, over every strategy: what the model is sent.

`python -m tests.memories.sequences --count 100000 --jobs 2` runs that many of them. It goes on after a fault, and tells
the seeds of all at the end. With `--steps 0`, it tries the order of requests alone: messages in any order become a
request for each family of endpoints.
"""

import argparse
import functools
import itertools
import logging
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from random import Random
from typing import Any

from memzoo.errors import ModelError, OverBudgetError
from memzoo.memories import STRATEGIES, BaseMemory, create_memory
from memzoo.memories.models.chat import as_model
from memzoo.memories.strategies.named import further_names
from memzoo.memories.strategies.windows import WindowMemory
from memzoo.memories.text.families import FAMILIES
from memzoo.memories.text.grouping import group_messages, is_instruction
from memzoo.memories.text.messages import as_sent, sendable
from memzoo.memories.text.order import find_fault, make_request
from memzoo.memories.text.view import Piece, Shown
from memzoo.stores import InMemoryStore, Message
from memzoo.strategy import text_of
from memzoo.sync import drive
from memzoo.testing.scripted import FlakyModel
from tests.conversations import Chatter, said
from tests.provider import refusal

SPECIES = [*STRATEGIES, *further_names()]

START: Message = {"role": "system", "name": "set_messages", "content": ""}
"""What `set_messages` marks the beginning of the view with."""

_REPLIES = {
    "summary": "Sam likes tea.",
    "current_entities": "Sam",
    "entity_notes": "Sam: Sam likes tea.",
    "triple_extraction": "Sam | likes | tea",
}


def model(messages: Sequence[Message]) -> str:
    """Always says the same to a task."""
    return _REPLIES[str(messages[-1]["content"]).split(".", 1)[0].removeprefix("Task: ")]


def words(message: Message) -> int:
    """A token counter: each word, and one for the message."""
    return len(text_of(message).split()) + 1


def _limit(limit: int, conversation_id: str) -> int:
    return limit


class Models(FlakyModel):
    """A model and an embedder that fail together."""

    def __init__(self) -> None:
        super().__init__(as_model(model))

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """All texts are alike."""
        if self.fault:
            raise self.fault
        return [[1.0, 0.0]] * len(texts)


def options(name: str, limit: int, llm: Models, random: Random) -> dict[str, Any]:
    """Options of a strategy with a small limit, so that it is passed soon."""
    step = random.choice((0, 0, 1, 5, 30))
    window = {
        "step": step,
        "oversized": random.choice(("raise", "keep")),
        "evict": random.choice(("message", "exchange")),
    }
    members = [
        ("window", {"k": 1 + limit % 3, "step": step}),
        ("summary-buffer", {"max_token_limit": limit, "llm": llm}),
        ("vector-retriever", {"embedder": llm.embed}),
    ]
    own: dict[str, dict[str, Any]] = {
        "buffer": {},
        "window": {"k": limit % 4, "step": step},
        "summary": {"llm": llm},
        "summary-buffer": {"max_token_limit": limit, "llm": llm},
        "entity": {"k": limit % 3, "step": step, "llm": llm},
        "vector-retriever": {"k": 1 + limit % 3, "embedder": llm.embed},
        "knowledge-graph": {"k": limit % 3, "llm": llm},
        "combined": {"memories": members, "max_token_limit": 1 + limit},
        "message-window": {"max_messages": 1 + limit // 3, **window},
        "token-window": {"max_token_limit": functools.partial(_limit, 1 + limit) if step else 1 + limit, **window},
        "summarizing-window": {"max_messages": 1 + limit // 3, "llm": llm},
    }
    return own[name]


class Run:
    """One sequence on one strategy.

    Attributes:
        counts: How many views were shown, and how many were refused with an error.
    """

    def __init__(self, name: str, random: Random) -> None:
        self.name, self.random = name, random
        self.store, self.llm, self.chatter = InMemoryStore(), Models(), Chatter(random)
        self.said: list[Message] = []
        self.shown: list[Message] = []  # What a window would show without a limit.
        self.pinned: dict[int, Message] = {}  # What is pinned, by log number.
        self.counts: Counter[str] = Counter()
        self.promised: Shown | None = None  # What was shown last, unless something happened since that may change it.
        self.asked: tuple[str, Shown] | None = None  # The last request and its family, likewise.
        self.added: list[Message] = []  # What was said since.
        self.reopen()

    def run(self, steps: int) -> Counter[str]:
        """Let things happen, and look at what is shown after each."""
        for _ in range(steps):
            self.random.choice([self.add] * 6 + [self.exchange, self.reopen, self.fail, self.start_anew, self.pin])()
            assert self.memory.pin() == sorted(self.pinned), "not what was pinned"
            assert self.memory.history() == self.said, "the log is not what was said"
            self.look(None)
            self.check_request(self.random.choice((None, None, 40)), self.random.choice([*FAMILIES]))
            self.check_promise()
            self.look(self.random.choice((1, 10, 40)))
            self.check_opened_again()
        return self.counts

    def reopen(self) -> None:
        """Open the conversation again, with another limit."""
        self.options = options(self.name, self.random.choice((0, 3, 8, 20, 60)), self.llm, self.random)
        self.failed = self.llm.fault is not None
        self.options["learn_every"] = self.random.choice((1, 1, 2, 3, 8))
        self.options["max_pending_tokens"] = self.random.choice((4000, 4000, 20, 60))
        clearing = {"keep": self.random.randrange(3), "step": self.random.choice((1, 4)), "over": 0}
        self.options["clear_tool_results"] = clearing if self.chance(0.3) else None
        self.promised = self.asked = None
        role, place = self.random.choice((None, "system", "developer", "user")), self.random.choice(("before", "after"))
        self.recalled = {"recalled_role": role, "recalled_place": place}
        self.memory = self.opened()

    def opened(self) -> BaseMemory:
        """The memory as another process opens it."""
        common = {"store": self.store, "conversation_id": "a", "token_counter": words, "on_model_error": "defer"}
        common |= self.recalled
        return create_memory(self.name, **common, **self.options)

    def check_promise(self) -> None:
        """What was promised is shown again, if what was added since has room; then look what is promised now."""
        now, _ = self.sent(None)
        if self.promised is not None and self.has_room(self.promised.room):
            kept = self.promised.stable_upto
            assert now[:kept] == self.promised[:kept], f"{kept} messages were promised"
            self.counts["promises"] += kept > 0
        self.promised, self.added = (now if isinstance(now, Shown) else None), []

    def has_room(self, room: int | None) -> bool:
        """Whether what was added is no more than there was room for, and no new system message."""
        if any(map(is_instruction, self.added)):
            return False
        if self.options["learn_every"] > 1 and self.options["max_pending_tokens"] < 4000:
            return False  # a portion may end early
        if room is None:
            return True
        if self.name in ("message-window", "summarizing-window"):
            return len(self.added) <= room
        if self.name in ("window", "entity", "summary"):
            return sum(message["role"] == "user" for message in self.added) <= room
        return sum(map(words, self.added)) <= room

    def fail(self) -> None:
        """Let the model fail or talk nonsense, or work again."""
        self.failed, self.promised, self.asked = True, None, None
        self.llm.fault = self.random.choice((None, ModelError("the model is down")))
        self.llm.reply = self.random.choice((None, "I'm sorry, but I can't help with that."))

    def add(self) -> None:
        """Add one to three messages, pinned now and then."""
        messages, pinned = [self.chatter.message() for _ in range(self.random.choice((1, 1, 2, 3)))], self.chance(0.05)
        self.memory.add_messages(messages, pinned=pinned)
        self.said += messages
        self.shown += messages
        self.added += messages
        if pinned:
            self.promised = self.asked = None
            self.pinned |= {entry.seq: entry.message for entry in self.memory.entries()[-len(messages) :]}

    def pin(self) -> None:
        """Pin a message, or let go of it again."""
        self.promised = self.asked = None
        for entry in self.random.sample(self.memory.entries(), min(len(self.said), 1)):
            if entry.seq in self.pinned:
                self.memory.pin(entry.seq, off=True)
                del self.pinned[entry.seq]
            else:
                self.memory.pin(entry.seq)
                self.pinned[entry.seq] = entry.message

    def chance(self, share: float) -> bool:
        """Whether something happens that happens so often."""
        return self.random.random() < share

    def exchange(self) -> None:
        """Save a question and an answer."""
        question, answer = self.chatter.text(), self.chatter.text()
        self.memory.save_context({"input": question}, {"output": answer})
        new: list[Message] = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        self.said += new
        self.shown += new
        self.added += new

    def start_anew(self) -> None:
        """Let a window start with other messages; clear another strategy."""
        self.promised = self.asked = None
        if isinstance(self.memory, WindowMemory):
            self.shown = [self.chatter.message() for _ in range(self.random.randrange(4))]
            self.memory.set_messages(self.shown)
            self.said += [*([START] if self.said else []), *self.shown]
        else:
            self.memory.clear()
            self.said, self.shown, self.pinned = [], [], {}

    def look(self, bound: int | None) -> None:
        """Check what is sent, without a bound or within one."""
        before = self.learnt()
        sent, error = self.sent(bound)
        if bound and self.learnt() != before:  # what has no room is learnt from first
            self.promised = self.asked = None
        self.counts["errors" if error else "views"] += 1
        if error:
            assert error.over == error.size - error.limit > 0
            assert bound or self.needed() > error.limit, "an error without need"
            return
        self.check_pinned(sent)
        if not self.memory.learners:
            assert self.opened().messages("Sam?", max_tokens=bound) == sent, "another process shows something else"
        fault = refusal(sent, system_first=self.recalled["recalled_place"] == "before") if sent else None
        assert fault is None, fault
        newest = self.newest()
        assert newest is None or newest in sent, "the newest user message is lost"
        if bound:
            assert sum(map(words, sent)) <= bound, "over the bound"
        self.check_limit(sent, newest)
        if not bound or not any(learner.cached_state.newest.attempts.failures for learner in self.memory.learners):
            self.check_held(sent)

    def learnt(self) -> list[int]:
        """The last messages learnt from."""
        return [learner.cached_state.newest.watermark for learner in self.memory.learners]

    def check_held(self, sent: Sequence[Message]) -> None:
        """What waits for a whole portion is sent; calls with one id may have other ids there."""
        texts = [*map(text_of, sent)]
        for learner in self.memory.learners:
            waiting = drive(learner.find_waiting(learner.cached_state.newest))
            held = [entry.message for entry in waiting.entries if waiting.is_held]
            assert all(text_of(one) in texts for one in sendable(held)), "what is not learnt from yet is not sent"

    def check_request(self, bound: int | None, family: str) -> None:
        """A request is in order (I19), within its bound, and has each word of its pieces; its beginning stays."""
        before = self.learnt()
        try:
            now = self.memory.request("Who is Sam?", system="Be brief.", max_tokens=bound, family=family)
        except OverBudgetError as error:
            assert error.over == error.size - error.limit > 0  # noqa: PT017 - an error is not a fault
            self.asked = None
            return
        finally:
            if bound and self.learnt() != before:
                self.promised = self.asked = None
        assert not (fault := find_fault(now, FAMILIES[family])), fault
        assert text_of(now[-1]).endswith("Who is Sam?")
        assert not bound or sum(map(words, now)) <= bound, "over the bound"
        said = " ".join(map(text_of, now)).split()
        lost = Counter(" ".join(text_of(piece.message) for piece in now.pieces).split()) - Counter(said)
        assert not lost or FAMILIES[family].calls_as_text, f"{lost} is not sent"
        # An addition that begins with an answer is no exchange, and may join the answer before it; empty words are not
        # sent.
        goes_on = not self.added or (self.added[0]["role"] == "user" and text_of(self.added[0]) != "")
        if self.asked and self.asked[0] == family and not bound and goes_on and self.has_room(self.asked[1].room):
            kept = self.asked[1].stable_upto
            assert now[:kept] == self.asked[1][:kept], f"{kept} messages of a request were promised"
        self.asked = None if bound else (family, now)

    def check_pinned(self, sent: Sequence[Message]) -> None:
        """What is pinned is there, unless it is a call or a result that lacks the other."""
        for message in self.pinned.values():
            assert of_tools(message) or sendable([message])[0] in sent, f"{message} is pinned, and not shown"

    def check_opened_again(self) -> None:
        """Whoever opens the conversation is shown the same; an embedder that failed rests only in who saw that."""
        if self.failed:
            return

        def shown(memory: BaseMemory) -> object:
            try:
                return memory.messages("Sam?", catch_up=False)
            except OverBudgetError as error:
                return str(error)

        assert shown(self.opened()) == shown(self.memory), "another view after a restart"

    def sent(self, bound: int | None) -> tuple[list[Message] | Shown, OverBudgetError | None]:
        """What is sent, or why not."""
        try:
            return self.memory.messages("Sam?", max_tokens=bound), None
        except OverBudgetError as error:
            return [], error

    def newest(self) -> Message | None:
        """The newest user message; where others than windows are concerned, only if it has no answer."""
        if isinstance(self.memory, WindowMemory):
            return next((said for said in reversed(self.shown) if said["role"] == "user"), None)
        for message in reversed(self.said):
            answer = message["role"] == "assistant" and not (message.get("tool_calls") or message.get("function_call"))
            if answer or message["role"] == "user":
                return None if answer else message
        return None

    def needed(self) -> int:
        """What the system message and all from the newest user message on weigh: at least what must be shown."""
        users = [place for place, said in enumerate(self.shown) if said["role"] == "user"]
        tail = [said for said in self.shown[users[-1] if users else 0 :] if not is_instruction(said)]
        rules = [said for said in self.shown if is_instruction(said)][-1:]
        return sum(map(self.weigh, [*rules, *tail, *self.kept()]))

    def kept(self) -> list[Message]:
        """The pinned messages, each with all that it may bring along."""
        if not self.pinned:
            return []
        brought = [said for said in self.said if of_tools(said)] if any(map(of_tools, self.pinned.values())) else []
        return [*brought, *self.pinned.values()]

    def check_limit(self, sent: Sequence[Message], newest: Message | None) -> None:
        """The strategy's own limit holds, or it was told to keep what must not go, and nothing else is left."""
        if isinstance(self.memory, WindowMemory):
            (limit, _), size = self.memory.limits(), sum(map(self.weigh, sent))
            said = [message for message in sent if not is_instruction(message)]
            kept = self.options["oversized"] == "keep" and (newest is None or said[0] == newest or self.pinned)
            assert size <= limit or kept, f"{size} are over the limit of {limit}"
        if self.name == "combined":
            assert sum(map(words, sent)) <= self.options["max_token_limit"], "over the limit"

    def weigh(self, message: Message) -> int:
        """What a message counts."""
        return 1 if self.name == "message-window" else words(message)


def of_tools(message: Message) -> bool:
    """Whether it is a call of a tool or a result."""
    return message["role"] in ("tool", "function") or bool(message.keys() & {"tool_calls", "function_call"})


def check_order(random: Random, length: int) -> Counter[str]:
    """Messages in any order, then a question: the request is in order for each family of endpoints (I19)."""
    chatter = Chatter(random)
    given = [*(chatter.message() for _ in range(length)), said("user", "Well?")]
    pieces = [Piece(as_sent(given[place])) for group in group_messages(given) for place in group]
    for name, family in FAMILIES.items():
        fault = find_fault(make_request(pieces, family), family)
        assert not fault, f"{name}: {fault}"
    return Counter(requests=len(FAMILIES))


def sequence(seed: int, steps: int) -> Counter[str]:
    """Run the sequence of a number; its strategy and all that happens follow from it."""
    name = SPECIES[seed % len(SPECIES)]
    try:
        return Run(name, Random(seed)).run(steps) + check_order(Random(seed), seed % 31)  # noqa: S311 - no secret
    except BaseException as error:
        error.add_note(f"in sequence {seed} on {name}")
        raise


def tried(seed: int, steps: int) -> Counter[str] | str:
    """What a sequence counted, or what is wrong with it."""
    try:
        return sequence(seed, steps)
    except Exception as error:  # noqa: BLE001 - told at the end, with all others
        return f"{error!r} {' '.join(error.__notes__)}"


def hide_warnings() -> None:
    """Sequences meet models that fail, on purpose and often."""
    logging.getLogger("memzoo").setLevel(logging.ERROR)


def main() -> None:
    """Run many sequences, and say how many views there were and which sequences had a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="sequences; each is run on one strategy in turn")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first")
    parser.add_argument("--steps", type=int, default=12, help="what happens in each")
    parser.add_argument("--jobs", type=int, default=1, help="processes that run them")
    parser.add_argument("--memory", action="append", choices=SPECIES, help="only those on this strategy; repeat it")
    chosen = parser.parse_args()
    if chosen.count < 1 or chosen.steps < 0:
        parser.error(f"--count must be at least 1 and --steps at least 0, not {chosen.count} and {chosen.steps}")
    counts, faults = Counter[str](), dict[int, str]()
    start = time.perf_counter()
    seeds = range(chosen.first, chosen.first + chosen.count)
    seeds = [seed for seed in seeds if not chosen.memory or SPECIES[seed % len(SPECIES)] in chosen.memory]
    with ProcessPoolExecutor(chosen.jobs, initializer=hide_warnings) as processes:
        results = processes.map(tried, seeds, itertools.repeat(chosen.steps), chunksize=50)
        for done, (seed, found) in enumerate(zip(seeds, results, strict=True), 1):
            if isinstance(found, str):
                faults[seed] = found
                print(f"FAULT {seed}: {found}", flush=True)  # noqa: T201
            else:
                counts += found
            if done % 1_000 == 0 or done == len(seeds):
                shown = ", ".join(f"{counts[name]} {name}" for name in ("views", "errors", "promises", "requests"))
                seconds = time.perf_counter() - start
                print(f"{done} sequences, {shown}, {len(faults)} faults; {seconds:.0f} s", flush=True)  # noqa: T201
    if faults:
        sys.exit(f"{len(faults)} sequences had a fault: {', '.join(map(str, faults))}")


if __name__ == "__main__":
    main()
