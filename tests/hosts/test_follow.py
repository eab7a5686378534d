"""How the log follows a host's thread: onwards, and back."""

import asyncio
import itertools
import logging
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.hosts.messages import HostMessage
from memzoo.hosts.shared import HostLog
from memzoo.memories import BaseMemory, ConversationBufferMemory, create_memory
from memzoo.stores import InMemoryStore, Record

Said = Sequence[tuple[str, str]]
"""Messages of a thread, by key: those of users are questions."""

FIRST: Said = [("q1", "My name is Anna?"), ("a1", "Hello Anna.")]
SECOND: Said = [("q2", "My PIN is 1234?"), ("a2", "Noted.")]
THIRD: Said = [("q3", "Who am I?"), ("a3", "Anna.")]


def message_of(key: str, text: str) -> HostMessage:
    """A message of a host."""
    return HostMessage({"role": "user" if text.endswith("?") else "assistant", "content": text}, key=key)


def follow(memory: BaseMemory, *said: Said, thread: str = "t", whole: bool = True) -> list[str]:
    """Follow a thread, and tell what the log has then."""
    host = [message_of(key, text) for part in said for key, text in part]
    asyncio.run(HostLog(memory, "test").afollow(host, ended=True, thread=thread, cuts_at_questions=whole))
    return [entry.message["content"] for entry in memory.entries()]


def words(*said: Said) -> list[str]:
    """The texts of messages."""
    return [text for part in said for _, text in part]


@pytest.fixture
def memory() -> BaseMemory:
    """A memory that has followed two exchanges."""
    memory = ConversationBufferMemory()
    assert follow(memory, FIRST, SECOND) == words(FIRST, SECOND)
    return memory


def shown(memory: BaseMemory, *said: Said) -> list[str]:
    """Follow a thread in the midst of a run, and tell what the model is sent."""
    log, host = HostLog(memory, "test"), [message_of(key, text) for part in said for key, text in part]
    asyncio.run(log.afollow(host, thread="t", cuts_at_questions=True))
    return [one.message["content"] for one in asyncio.run(log.aread_view(host[-1].message["content"]))]


def test_what_was_read_of_a_stopped_answer_is_shown_until_the_question_is_answered_anew(memory: BaseMemory):
    """The next question follows it; the same question is sent without it, and the new answer takes its place."""
    follow(memory, FIRST, SECOND, THIRD[:1])
    memory.add_messages([Record.unfinished({"role": "assistant", "content": "You"})], learn=False)
    assert shown(memory, FIRST, SECOND, THIRD[:1]) == words(FIRST, SECOND, THIRD[:1])
    assert [entry.unfinished for entry in memory.entries()] == [False] * 5 + [True], "until there is an answer"
    more = [("q4", "Go on?")]
    assert shown(memory, FIRST, SECOND, THIRD[:1], more) == [*words(FIRST, SECOND, THIRD[:1]), "You", "Go on?"]
    memory.rewind(6)
    assert follow(memory, FIRST, SECOND, THIRD) == words(FIRST, SECOND, THIRD)


@pytest.mark.parametrize(
    ("strategy", "options"),
    [("window", {"k": 0}), ("window", {"k": 1}), ("message-window", {"max_messages": 2}), ("vector-retriever", {})],
)
def test_a_question_asked_again_is_sent_as_if_its_answer_had_not_been_begun(strategy: str, options: Any):
    """However little a memory shows of what is answered: the question is there, and what was shown before it."""
    memory: BaseMemory = create_memory(strategy, **options, learn_every=1)
    first = shown(memory, FIRST, THIRD[:1])
    memory.add_messages([Record.unfinished({"role": "assistant", "content": "You"})], learn=False)
    assert shown(memory, FIRST, THIRD[:1]) == first
    assert first[-1] == THIRD[0][1]


@pytest.mark.parametrize("how", ["edited", "removed", "by id"])
def test_what_was_read_of_a_stopped_answer_goes_with_its_question(memory: BaseMemory, how: str):
    """Behind another question it would be an answer to that."""
    follow(memory, FIRST, SECOND, THIRD[:1])
    memory.add_messages([Record.unfinished({"role": "assistant", "content": "You"})], learn=False)
    if how == "by id":
        asyncio.run(HostLog(memory, "test").atake_back({"q3"}))
    edited = [("q3" if how == "edited" else "q4", "Who are you?")]
    assert follow(memory, FIRST, SECOND, edited) == words(FIRST, SECOND, edited)


def test_what_was_read_of_a_stopped_answer_is_left_by_other_threads():
    """One that has a question of its own answers that; one that asks the same again takes its place."""
    memory = ConversationBufferMemory()
    follow(memory, [("o", "Elsewhere?")], thread="other")
    follow(memory, THIRD[:1])
    memory.add_messages([Record.unfinished({"role": "assistant", "content": "You"})], learn=False)
    expected = ["Elsewhere?", THIRD[0][1], "You", "Here."]
    assert follow(memory, [("o", "Elsewhere?"), ("p", "Here.")], thread="other") == expected
    memory.rewind(3)
    again = [("again", THIRD[0][1]), THIRD[1]]
    assert follow(memory, again, thread="third") == ["Elsewhere?", *words(THIRD)]


def test_a_stopped_answer_without_keys_gives_way_too():
    """Where a host has no ids, the same words again are the same question."""
    memory = ConversationBufferMemory()
    for answer in ("Half", "Whole."):
        log = HostLog(memory, "test")
        asyncio.run(log.aadd([message_of("", "Who am I?")]))
        assert [one.message["content"] for one in asyncio.run(log.aread_view("Who am I?"))] == ["Who am I?"]
        said = HostMessage({"role": "assistant", "content": answer}, unfinished=answer == "Half")
        asyncio.run(log.aadd([said]))
    assert [entry.message["content"] for entry in memory.entries()] == ["Who am I?", "Whole."]


def test_what_tools_did_is_taken_back_with_its_question_or_its_answer_alone():
    """A thread that runs a failed run again has neither call nor result, and they stay on record."""
    memory = ConversationBufferMemory()
    call = {"id": "c", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
    work = [
        HostMessage({"role": "assistant", "content": None, "tool_calls": [call]}, key="c1"),
        HostMessage({"role": "tool", "tool_call_id": "c", "content": "paid"}, key="r1"),
    ]
    question, answer = message_of("q", "Pay?"), message_of("a", "Paid.")

    def keys(*said: HostMessage) -> list[str]:
        asyncio.run(HostLog(memory, "test").afollow(said, thread="t", cuts_at_questions=True))
        return [entry.turn_id for entry in memory.entries()]

    assert keys(question, *work) == ["q", "c1", "r1"]
    assert keys(question) == ["q", "c1", "r1"]
    assert keys(question, answer) == keys(question, answer, message_of("q2", "Well?"))[:4] == ["q", "c1", "r1", "a"]
    assert keys(question) == ["q"]


def test_what_was_forgotten_does_not_come_back(memory: BaseMemory):
    """A host that sends a forgotten exchange with its next turn changes nothing: some of it, all, or the newest."""
    memory.forget([3, 4])
    assert follow(memory, FIRST, SECOND) == words(FIRST)
    assert follow(memory, FIRST, SECOND, THIRD) == words(FIRST, THIRD)
    memory.forget(None)
    assert follow(memory, FIRST, SECOND, THIRD, [("q4", "Still there?")]) == ["Still there?"]


def test_a_cleared_conversation_starts_over(memory: BaseMemory):
    """After a clear the host's thread is followed from its beginning."""
    memory.clear()
    assert follow(memory, FIRST, SECOND) == words(FIRST, SECOND)


def test_an_abandoned_branch_is_not_shown(memory: BaseMemory):
    """Who goes back and says something else has taken back what followed; resumed, the branch is there again."""
    assert follow(memory, FIRST, THIRD) == words(FIRST, THIRD)
    assert follow(memory, FIRST, SECOND) == words(FIRST, SECOND)


def test_who_goes_far_back_leaves_all_of_it(memory: BaseMemory):
    """However long the branch is, and whatever another thread said meanwhile, nothing of the branch is shown."""
    more = [(f"{kind}{number}", f"{number}{end}") for number in range(9, 99) for kind, end in (("q", "?"), ("a", "."))]
    follow(memory, FIRST, SECOND, more)
    follow(memory, [("o", "Elsewhere?")], thread="other")
    assert follow(memory, FIRST, THIRD) == [*words(FIRST), "Elsewhere?", *words(THIRD)]


class Counting(InMemoryStore):
    """Knows how many entries were read at once at most."""

    most = 0

    async def read(self, *args: Any, **options: Any) -> Any:
        """See `Store.read`."""
        found = await super().read(*args, **options)
        self.most = max(self.most, len(found))
        return found


@pytest.mark.parametrize("thread", ["t", ""])
def test_a_turn_costs_the_same_however_long_the_log_is(thread: str):
    """A host that hands over its newest turn alone, or messages of no thread, has a page of the log read."""
    store = Counting()
    memory = ConversationBufferMemory(store=store)
    for number in range(100):
        said = [message_of(f"q{number}", f"{number}?"), message_of(f"a{number}", f"{number}.")]
        asyncio.run(HostLog(memory, "test").afollow(said, thread=thread))
    host = [message_of("q", "New?")] if thread else [message_of(*one) for one in (*FIRST, ("q", "New?"))]
    store.most = 0
    asyncio.run(HostLog(memory, "test").afollow(host, thread=thread))
    assert store.most < 40


def test_an_answer_is_given_anew(memory: BaseMemory):
    """Regenerating takes back the old answer, and leaves its question as it is."""
    assert follow(memory, FIRST, SECOND[:1]) == words(FIRST, SECOND[:1])
    anew = [("b2", "No PINs, please.")]
    assert follow(memory, FIRST, SECOND[:1], anew) == words(FIRST, SECOND[:1], anew)
    assert [entry.seq for entry in memory.entries()] == [1, 2, 3, 5]


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_removed_message_goes_alone(memory: BaseMemory, place: int):
    """What stands around it keeps its numbers; where the first question is removed, its answer stays."""
    said = [*FIRST, *SECOND]
    del said[place - 1]
    assert follow(memory, said) == words(said)
    assert [entry.seq for entry in memory.entries()] == [seq for seq in (1, 2, 3, 4) if seq != place]


def test_an_edit_replaces(memory: BaseMemory):
    """A message that has other words under its id is replaced, and what follows it is the same as before."""
    edited = [("q1", "My name is ****?"), *FIRST[1:]]
    assert follow(memory, edited, SECOND) == words(edited, SECOND)
    assert follow(memory, edited, SECOND, THIRD) == words(edited, SECOND, THIRD)


def test_a_thread_that_is_cut_at_its_beginning_loses_nothing(memory: BaseMemory):
    """A host that drops old exchanges, or puts a summary in their place, has them in the log still."""
    assert follow(memory, SECOND, THIRD) == words(FIRST, SECOND, THIRD)
    assert follow(memory, THIRD) == words(FIRST, SECOND, THIRD)
    summed_up = [("s", "So far: Anna."), THIRD[1]]
    assert follow(memory, summed_up) == words(FIRST, SECOND, THIRD)


def test_a_host_that_cuts_anywhere_loses_nothing(memory: BaseMemory):
    """Where a host hands over its newest messages only, what stands before the first of them stays."""
    assert follow(memory, SECOND[1:], THIRD, whole=False) == words(FIRST, SECOND, THIRD)


@pytest.mark.parametrize("thread", ["", "other"])
def test_only_the_thread_itself_takes_back(memory: BaseMemory, thread: str):
    """What another thread says, or one that is not known, stands beside and takes nothing back."""
    assert follow(memory, THIRD, thread=thread) == words(FIRST, SECOND, THIRD)
    assert follow(memory, FIRST) == words(FIRST, THIRD)


def test_a_store_that_cannot_delete_keeps_what_was_taken_back(caplog: pytest.LogCaptureFixture):
    """The run goes on, and a warning says so."""
    inner = InMemoryStore()
    methods = ("append", "read", "read_state", "commit", "clear", "close")
    plain: Any = SimpleNamespace(**{name: getattr(inner, name) for name in methods})
    memory = ConversationBufferMemory(store=plain, conversation_id="c")
    follow(memory, FIRST, SECOND)
    assert follow(memory, FIRST) == words(FIRST, SECOND)
    assert "'c' keeps messages that its host took back" in caplog.text
    asyncio.run(HostLog(memory, "test").atake_back({"q2"}))
    assert "'c' keeps messages that its host took back" in caplog.text
    assert [entry.message["content"] for entry in memory.entries()] == words(FIRST, SECOND)


def test_what_was_saved_otherwise_stays(memory: BaseMemory):
    """The application's own messages belong to no thread."""
    memory.save_context({"input": "By hand?"}, {"output": "Yes."})
    assert follow(memory, FIRST, THIRD) == [*words(FIRST), "By hand?", "Yes.", *words(THIRD)]


def test_two_questions_with_the_same_words_are_two():
    """The thread knows them by their ids, answered or not."""
    memory, twice = ConversationBufferMemory(), [("q1", "Really?"), ("q2", "Really?")]
    assert follow(memory, twice) == follow(memory, twice) == words(twice)


def test_a_question_whose_run_failed_is_asked_again(memory: BaseMemory):
    """Under another id, in a run that has nothing else: behind earlier answers, too, it is in the log once."""
    follow(memory, THIRD[:1], thread="")
    assert follow(memory, [("again", THIRD[0][1]), THIRD[1]], thread="") == words(FIRST, SECOND, THIRD)


@pytest.mark.parametrize("strategy", ["summary", "entity", "knowledge-graph", "vector-retriever"])
def test_nothing_is_learnt_from_an_abandoned_branch(strategy: str):
    """What was learnt from it goes with it, and what is said instead is learnt."""
    options: dict[str, Any] = {} if strategy == "vector-retriever" else {"llm": "offline", "learn_every": 1}
    memory = create_memory(strategy, **options)

    def shown() -> str:
        asked = {"input": "Where do I work? Google or Apple?"}
        state = asyncio.run(memory.store.read_state(memory.conversation_id, memory.learners[0].name))
        return f"{memory.load_memory_variables(asked)} {memory.messages(asked['input'])} {state}"

    begun = [("q1", "Hello there?"), ("a1", "Hello.")]
    follow(memory, begun, [("q2", "Anna works at Google. OK?"), ("a2", "Anna works at Google.")])
    assert "Google" in shown()
    follow(memory, begun, [("q3", "Anna works at Apple. OK?"), ("a3", "Anna works at Apple.")])
    assert "Apple" in shown()
    assert "works at Google" not in shown()


def test_a_store_that_cannot_delete_keeps_what_was_said(caplog: pytest.LogCaptureFixture):
    """The host's run goes on, and a warning tells that what the thread has no more is still there."""
    store = InMemoryStore()
    verbs = {verb: getattr(store, verb) for verb in ("append", "read", "read_state", "commit", "clear", "close")}
    plain: Any = SimpleNamespace(**verbs)
    memory = ConversationBufferMemory(store=plain)
    follow(memory, FIRST, SECOND)
    with caplog.at_level(logging.WARNING, logger="memzoo"):
        assert follow(memory, FIRST, THIRD) == words(FIRST, SECOND, THIRD)
    assert "keeps messages that its host took back" in caplog.text


@given(st.data())
def test_the_log_is_what_the_thread_is(data: st.DataObject):
    """Whatever a thread did (went on, went back, edited, removed), the log has its messages, in their order."""
    memory, thread, ids = ConversationBufferMemory(), [("q0", "Begin?"), ("a0", "Begun.")], itertools.count(1)
    follow(memory, thread)
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(1, len(thread)))
        step = data.draw(st.sampled_from(["on", "back", "edit", "remove"]))
        if step == "back":
            del thread[place:]
        elif step == "edit" and place < len(thread):
            thread[place] = (thread[place][0], f"{thread[place][1]} edited{next(ids)}?")
        elif step == "remove" and place < len(thread):
            del thread[place]
        elif step == "on":
            thread += [(f"q{(number := next(ids))}", f"Question {number}?"), (f"a{number}", f"Answer {number}.")]
        assert follow(memory, thread) == words(thread)
