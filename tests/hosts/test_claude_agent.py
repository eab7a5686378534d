"""memzoo in the Claude Agent SDK: `query` through the CLI of its wheel, with a scripted model behind its API."""

import asyncio
import dataclasses
import itertools
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from memzoo import InMemoryStore, MemoryProvider, create_memory, open_store
from memzoo.errors import ModelError, OptionError
from memzoo.hosts.claude_agent import MemorySessionStore
from memzoo.stores import Message
from memzoo.testing import ScriptedModel
from tests.hosts.claude_api import served
from tests.hosts.contract import (
    FIRST,
    SAID_THEN,
    SECOND,
    Call,
    HostContract,
    Step,
    contents,
    pairs,
    results,
    weather,
)
from tests.hosts.page import host, run_page
from tests.hosts.samples import members, odd, samples

sdk, conformance = host("claude_agent_sdk"), host("claude_agent_sdk.testing")

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for the CLI, which knows nobody."""
    for name in [name for name in os.environ if name.startswith(("ANTHROPIC_", "CLAUDE"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def options_of(store: Any, url: str, folder: Path, **more: Any) -> Any:
    """Options with a tool `weather`, and nothing of what the CLI brings itself."""
    folder.mkdir(exist_ok=True)

    @sdk.tool("weather", "The weather of a place.", {"place": str})
    async def tool(given: dict[str, str]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": weather(given["place"])}]}

    environment = {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": url, "CLAUDE_CONFIG_DIR": f"{folder}/.claude"}
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    return sdk.ClaudeAgentOptions(
        cwd=folder,
        env=environment | quiet,
        session_store=store,
        hooks={"UserPromptSubmit": [sdk.HookMatcher(hooks=[store.remind])]},
        mcp_servers={"tools": sdk.create_sdk_mcp_server("tools", tools=[tool])},
        allowed_tools=["mcp__tools__weather"],
        tools=[],
        setting_sources=[],
        model="claude-sonnet-4-5",  # of others the CLI does not know where to put what hooks tell
        **more,
    )


async def asked(text: str, options: Any) -> Any:
    """One run of the SDK: its result."""
    (result,) = [one async for one in sdk.query(prompt=text, options=options) if isinstance(one, sdk.ResultMessage)]
    if result.is_error:
        raise RuntimeError(result.result)
    return result


@pytest.mark.parametrize("text", ["Weather?", "Well?"])
def test_what_a_tool_did_is_told_after_a_failure(text: str, tmp_path: Path) -> None:
    """The call and its result are in the log once, and the next session's model is told the result."""
    memory = create_memory("buffer", store=InMemoryStore())
    store = MemorySessionStore(memory.store, lambda _: memory)
    with served([Call("Oslo", "c1"), RuntimeError("overloaded")]) as api, pytest.raises(Exception, match="overloaded"):
        asyncio.run(asked("Weather?", options_of(store, api.url, tmp_path / "anna")))
    told = asyncio.run(store.remind({"cwd": str(tmp_path / "anna"), "session_id": "new", "prompt": text}))
    assert "tool: Sunny in Oslo." in str(told)
    with served(["Sunny."]) as api:
        asyncio.run(asked(text, options_of(store, api.url, tmp_path / "anna")))
    said = memory.history()
    assert pairs(said) == results(said) == ["c1"]
    assert contents(said) == list(dict.fromkeys(["Weather?", text, "Sunny."]))


class TestClaudeAgent(HostContract):
    """The contract, with a fresh session for each prompt: what the model knows of others comes from the hook."""

    tells_late = "the hook tells it as text: see test_what_a_tool_did_is_told_after_a_failure"
    cuts = (0, 500)  # each is three starts of the CLI

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    async def say(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """One prompt in a session of its own, in the user's folder."""
        store = MemorySessionStore(memories.store, lambda project: memories.get(project.rpartition("-")[2]))
        with served(script) as api:
            await asked(text, options_of(store, api.url, self.folder / user))
        return api.sent

    def shapes(self) -> Iterator[Any]:
        """See `HostContract.shapes`: the SDK's blocks as they stand in a transcript, and entries without much."""
        for kind in members(sdk.ContentBlock):
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__.removesuffix("Block")).lower()
            for block in samples(kind):
                whole = {"type": name, **dataclasses.asdict(block)}
                for role in ("user", "assistant"):
                    entry: dict[str, Any] = {
                        "type": role,
                        "uuid": "shape",
                        "message": {"role": role, "content": [whole]},
                    }
                    yield entry
                    yield from ({**entry, "message": {"role": role, "content": [one]}} for one in odd(whole))
        entry = assistant({"type": "text", "text": "Hi."}, uuid="shape")
        yield from (*odd(entry), *({**entry, "message": message} for message in odd(entry["message"])))
        yield from samples(sdk.types.SessionStoreEntry)
        yield from ({**entry, "uuid": None}, {}, {"x": 1})

    async def kept(self, memories: MemoryProvider, shape: Any) -> Any:
        """See `HostContract.kept`: the transcript, however often a batch is sent."""
        store = MemorySessionStore(memories.store, lambda _: memories.get("anna"))
        batch = [user("Question", "q"), shape, assistant({"type": "text", "text": "Answer"}, uuid="a")]
        for sent in (batch[:1], batch, batch):
            await store.append(KEY, sent)
        loaded = await store.load(KEY) or []
        assert len(loaded) == len(batch)
        return loaded[1]

    async def go_back(self, memories: MemoryProvider, how: str) -> list[list[Message]]:
        """See `HostContract.go_back`: the session is resumed at the first answer."""
        store, folder = MemorySessionStore(memories.store, lambda _: memories.get("anna")), self.folder / "anna"
        with served([FIRST[1], SECOND[1], "Anew"]) as api:
            options = options_of(store, api.url, folder)
            session = (await asked(FIRST[0], options)).session_id
            key = {"project_key": sdk.project_key_for_directory(folder), "session_id": session}
            entries = await store.load(key) or []
            answer = next(entry["uuid"] for entry in entries if entry["type"] == "assistant")
            await asked(SECOND[0], dataclasses.replace(options, resume=session))
            options = dataclasses.replace(options, resume=session, resume_session_at=answer)
            await asked(SAID_THEN[how], dataclasses.replace(options, fork_session=how == "fork"))
        return api.sent[2:]

    def test_a_fork_leaves_the_branch(self) -> None:
        """A fork is another session of the project, whose memory has both, and once what they have in common."""
        sent, memories = self._gone_back("fork")
        assert contents(sent)[-1] == "Instead"
        assert contents(memories.get("anna").history()) == [*FIRST, *SECOND, "Instead", "Anew"]


def test_a_session_is_resumed_on_another_machine(tmp_path: Path) -> None:
    """A machine with an empty disk resumes it from the store; what is in the transcript is not told again."""
    store = open_store(f"sqlite:///{tmp_path / 'chat.db'}")
    sessions = MemorySessionStore(store, MemoryProvider("buffer", store=store))

    async def talk() -> list[list[Message]]:
        with served(["Hello Anna.", "Pixel."]) as api:
            first = options_of(sessions, api.url, tmp_path / "anna")
            session_id = (await asked("My cat is called Pixel.", first)).session_id
            (tmp_path / "anna" / ".claude").rename(tmp_path / "lost")
            again = options_of(sessions, api.url, tmp_path / "anna", resume=session_id)
            assert (await asked("What is my cat called?", again)).session_id == session_id
            return api.sent

    sent = asyncio.run(talk())
    assert contents(sent[1]) == ["My cat is called Pixel.", "Hello Anna.", "What is my cat called?"]


@pytest.mark.parametrize("kind", ["memory", "sqlite", "with a memory"])
def test_the_sdks_conformance_suite_passes(kind: str, tmp_path: Path) -> None:
    """All contracts that the SDK has for session stores, but that of summaries, which we leave to the SDK."""
    numbers = itertools.count()

    def made() -> MemorySessionStore:
        memories = MemoryProvider("buffer") if kind == "with a memory" else None
        on_disk = kind == "sqlite"
        store = open_store(f"sqlite:///{tmp_path}/{next(numbers)}.db") if on_disk else InMemoryStore()
        return MemorySessionStore(store, memories)

    asyncio.run(conformance.run_session_store_conformance(made))


KEY = {"project_key": "p", "session_id": "0b7b8a52-2b5c-4b8e-9f3c-8f1d8d6e6a01"}


def user(text: Any, uuid: str, **more: Any) -> dict[str, Any]:
    """An entry with what the user said."""
    return {"type": "user", "uuid": uuid, "message": {"role": "user", "content": text}, **more}


def assistant(*blocks: Any, uuid: str) -> dict[str, Any]:
    """An entry of the assistant."""
    return {"type": "assistant", "uuid": uuid, "message": {"role": "assistant", "content": list(blocks)}}


def test_a_batch_that_is_sent_again_changes_nothing() -> None:
    """The SDK sends a batch again after an error; entries without a uuid are not doubled either."""
    memories = MemoryProvider("buffer")
    store = MemorySessionStore(memories.store, memories)
    title, text = {"type": "title", "title": "Cats"}, {"type": "text", "text": "Hi."}
    batch = [title, user("Hello?", "1"), title, assistant(text, uuid="2"), title]

    async def scene() -> list[Any] | None:
        for sent in (batch[:3], batch, batch):
            await store.append(KEY, sent)
        return await store.load(KEY)

    assert asyncio.run(scene()) == batch
    assert contents(memories.get("p").history()) == ["Hello?", "Hi."]


def test_entries_without_a_uuid_are_stored_once_and_none_is_lost() -> None:
    """A batch of them sent again changes nothing; one that comes behind an entry that is there already is stored."""
    store = MemorySessionStore(InMemoryStore())
    first, second = {"type": "title", "title": "Cats"}, {"type": "title", "title": "Dogs"}
    a, b = user("Hello?", "a"), user("Well?", "b")

    async def loaded(*batches: list[Any]) -> list[Any] | None:
        key = {"project_key": "p", "session_id": str(batches)}
        for batch in batches:
            await store.append(key, batch)
        return await store.load(key)

    async def scene() -> None:
        assert await loaded([first], [first]) == [first]
        assert await loaded([a], [a, first, b]) == [a, first, b]
        assert await loaded([a, first], [a, first, second]) == [a, first, second]
        assert await loaded([a], [first], [second], [first], [first]) == [a, first, second, first]
        assert await loaded([first, a], [first, a], [first, second]) == [first, a, first, second]

    asyncio.run(scene())


@pytest.mark.parametrize("first", [[], [user("Hello?", "a")]])
@pytest.mark.parametrize("count", [99, 100, 101, 250])
def test_however_many_entries_without_a_uuid_are_stored_once(first: list[Any], count: int) -> None:
    """Those that come one by one, and those that are sent again; the same words later are another entry."""
    store = MemorySessionStore(InMemoryStore())
    titles = [{"type": "title", "title": f"Cats {number}"} for number in range(count)]

    async def scene() -> None:
        await store.append(KEY, [*first, *titles[:-2]])
        for title in (*titles[-2:], titles[-1]):
            await store.append(KEY, [title])
        await store.append(KEY, titles)
        assert await store.load(KEY) == [*first, *titles]
        await store.append(KEY, titles[:1])
        assert await store.load(KEY) == [*first, *titles, titles[0]]

    asyncio.run(scene())


def test_a_session_that_goes_on_has_the_same_words_twice() -> None:
    """Who says yes twice in a session said it twice; a new session that asks the unanswered question is a retry."""
    memories = MemoryProvider("buffer")
    store = MemorySessionStore(memories.store, memories)

    async def scene() -> None:
        for number in range(3):
            await store.append(KEY, [user("Yes", str(number))])
        assert contents(memories.get("p").history()) == ["Yes"] * 3
        await store.append(KEY | {"session_id": "another"}, [user("Yes", "3")])
        assert contents(memories.get("p").history()) == ["Yes"] * 3

    asyncio.run(scene())


def test_a_fork_tells_nothing_twice(tmp_path: Path) -> None:
    """The SDK copies entries under new uuids, and copies copies; the memory has them once, and what is said there."""
    memory = create_memory("buffer")
    store = MemorySessionStore(memory.store, lambda _: memory)
    key = {**KEY, "project_key": sdk.project_key_for_directory(tmp_path)}
    first, answer = "0b7b8a52-2b5c-4b8e-9f3c-8f1d8d6e6b00", "0b7b8a52-2b5c-4b8e-9f3c-8f1d8d6e6b01"

    async def scene() -> None:
        await store.append(key, [user("Hello?", first), below(first, words("Hi.", answer))])
        session = KEY["session_id"]
        for number in range(3):
            session = (await sdk.fork_session_via_store(store, session, directory=str(tmp_path))).session_id
            fork = {**key, "session_id": session}
            *_, newest = [entry for entry in await store.load(fork) or [] if entry.get("message")]
            await store.append(fork, [below(newest["uuid"], user(f"Question {number}", f"q{number}"))])

    asyncio.run(scene())
    assert contents(memory.history()) == ["Hello?", "Hi.", *(f"Question {number}" for number in range(3))]


def test_a_fork_of_what_is_not_there_is_learnt() -> None:
    """Where the session that was forked is unknown, its copy is all that there is; odd marks of forks do no harm."""
    memory = create_memory("buffer")
    store = MemorySessionStore(memory.store, lambda _: memory)
    marks: list[Any] = [{"sessionId": "gone", "messageUuid": "0"}, {"sessionId": 7}, {}, None, "odd"]
    batch = [{**user(f"Line {n}", str(n)), "forkedFrom": mark} for n, mark in enumerate(marks)]
    asyncio.run(store.append(KEY, batch))
    assert contents(memory.history()) == [f"Line {n}" for n in range(len(marks))]


def below(parent: str, entry: dict[str, Any]) -> dict[str, Any]:
    """An entry that follows another one."""
    return {**entry, "parentUuid": parent}


def words(text: str, uuid: str) -> dict[str, Any]:
    """An answer of the assistant."""
    return assistant({"type": "text", "text": text}, uuid=uuid)


BEGUN = [user("Question 0", "1"), below("1", words("Answer 0", "2"))]
LEFT = [below("2", user("Question 1", "3")), below("3", words("Answer 1", "4"))]
ANEW = [below("2", user("Instead", "5")), below("5", words("Anew", "6"))]


@pytest.mark.parametrize(
    "batches", [[BEGUN, LEFT, ANEW], [[*BEGUN, *LEFT, *ANEW]], [[*BEGUN, *LEFT], ANEW[:1], ANEW[1:]]]
)
def test_what_a_prompt_went_back_from_is_taken_back(batches: list[list[Any]]) -> None:
    """In one batch or in several, and however often they are sent again; the transcript keeps it."""
    memory = create_memory("buffer")
    store = MemorySessionStore(memory.store, lambda _: memory)

    async def scene() -> list[Any] | None:
        for batch in [*batches, *batches, *batches[::-1]]:
            await store.append(KEY, batch)
        return await store.load(KEY)

    assert asyncio.run(scene()) == [*BEGUN, *LEFT, *ANEW]
    assert contents(memory.history()) == ["Question 0", "Answer 0", "Instead", "Anew"]


def test_a_long_way_back_is_taken_back() -> None:
    """However much was said since, in this session and in others, which stay as they are."""
    memory = create_memory("buffer")
    store = MemorySessionStore(memory.store, lambda _: memory)

    async def scene() -> None:
        await store.append(KEY, BEGUN)
        parent = "2"
        for number in range(150):
            asked, answer = f"q{number}", f"a{number}"
            batch = [below(parent, user(f"Question {number}", asked)), below(asked, words("Hm.", answer))]
            await store.append(KEY, batch)
            parent = answer
        await store.append({**KEY, "session_id": "other"}, [*BEGUN, below("2", user("Elsewhere", "e"))])
        await store.append(KEY, ANEW)

    asyncio.run(scene())
    assert contents(memory.history()) == ["Question 0", "Answer 0", "Elsewhere", "Instead", "Anew"]


def test_who_goes_back_in_a_fork_takes_nothing_from_the_session_itself() -> None:
    """The CLI copies entries under their uuids: what the session was told first belongs to it."""
    memory = create_memory("buffer")
    store = MemorySessionStore(memory.store, lambda _: memory)

    async def scene() -> None:
        await store.append(KEY, [*BEGUN, *LEFT])
        await store.append({**KEY, "session_id": "fork"}, [*BEGUN, *LEFT])
        await store.append({**KEY, "session_id": "fork"}, ANEW)

    asyncio.run(scene())
    assert contents(memory.history()) == ["Question 0", "Answer 0", "Question 1", "Answer 1", "Instead", "Anew"]


def test_two_writers_of_one_batch_store_it_once() -> None:
    """As two processes may that mirror one session."""
    shared = InMemoryStore()
    batch = [user(f"Line {n}", str(n)) for n in range(20)]

    async def scene() -> list[Any] | None:
        await asyncio.gather(*(MemorySessionStore(shared).append(KEY, batch) for _ in range(4)))
        return await MemorySessionStore(shared).load(KEY)

    assert asyncio.run(scene()) == batch


def test_what_the_cli_writes_for_itself_is_not_learnt() -> None:
    """Meta messages, summaries of its own, subagents and errors are in the transcript alone."""
    memories = MemoryProvider("buffer")
    store = MemorySessionStore(memories.store, memories)
    entries = [
        user("Caveat", "1", isMeta=True),
        user("Summary", "2", isCompactSummary=True),
        user("Do it", "3", isSidechain=True),
        {**assistant({"type": "text", "text": "API Error"}, uuid="4"), "isApiErrorMessage": True},
        assistant({"type": "thinking", "thinking": "Hm.", "signature": "s"}, uuid="5"),
        {"type": "user", "uuid": "7"},
    ]

    async def scene() -> None:
        await store.append(KEY, entries)
        await store.append({**KEY, "subpath": "subagents/agent-1"}, [user("Go", "6")])
        assert await store.load(KEY) == entries

    asyncio.run(scene())
    assert memories.get("p").history() == []


_LEARNT: list[tuple[str, Any, list[Message]]] = [
    ("user", "Hi", [{"role": "user", "content": "Hi"}]),
    ("assistant", [{"type": "text", "text": "Hi"}, {"type": "text"}], [{"role": "assistant", "content": "Hi\n"}]),
    ("user", [{"type": "image", "source": {}}], [{"role": "user", "content": [{"type": "image"}]}]),
    (
        "user",
        [{"type": "document"}, {"type": "text", "text": "This."}],
        [
            {"role": "user", "content": [{"type": "text", "text": "This."}, {"type": "document"}]},
        ],
    ),
    (
        "user",
        [
            {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "1"}]},
            {"type": "text", "text": "So?"},
        ],
        [
            {"role": "tool", "tool_call_id": "a", "content": "1"},
            {"role": "user", "content": "So?"},
        ],
    ),
    ("user", [{"type": "tool_result"}], [{"role": "tool", "tool_call_id": "", "content": ""}]),
    ("assistant", [{"type": "redacted_thinking"}], []),
]


@pytest.mark.parametrize(("role", "content", "said"), _LEARNT)
def test_what_is_learnt_from_an_entry(role: str, content: Any, said: list[Message]) -> None:
    """Words, calls, results, and the kind of what has no words; of a thought alone nothing."""
    memory = create_memory("buffer")
    entry = {"type": role, "uuid": "1", "message": {"role": role, "content": content}}
    asyncio.run(MemorySessionStore(memory.store, lambda _: memory).append(KEY, [entry]))
    assert memory.history() == said


def test_a_session_has_the_time_of_its_newest_entry() -> None:
    """In milliseconds since 1970, as the SDK sorts them."""
    store = InMemoryStore()

    async def scene() -> None:
        await MemorySessionStore(store).append(KEY, [user("Hello?", "1"), user("Well?", "2")])
        (listed,) = await MemorySessionStore(store).list_sessions("p")
        (newest,) = await store.read(f"claude/p/{KEY['session_id']}", limit=1, newest=True)
        assert abs(listed["mtime"] - newest.created_at.timestamp() * 1000) <= 1

    asyncio.run(scene())


def test_parallel_calls_keep_their_results() -> None:
    """The CLI writes each block as an entry, and may write results of two calls into one."""
    memories = MemoryProvider("window", k=1)
    calls = [
        assistant({"type": "tool_use", "id": id_, "name": "Read", "input": {"path": id_}}, uuid=id_) for id_ in "ab"
    ]
    results = [{"type": "tool_result", "tool_use_id": id_, "content": [{"type": "text", "text": id_}]} for id_ in "ba"]
    answer = assistant({"type": "text", "text": "Read."}, uuid="z")
    said = [user("Read both.", "1"), *calls, user(results, "r"), answer]
    asyncio.run(MemorySessionStore(memories.store, memories).append(KEY, said))
    shown = memories.get("p").messages()
    assert [message["role"] for message in shown] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert [message["tool_call_id"] for message in shown if message["role"] == "tool"] == ["a", "b"]


def test_a_memory_that_cannot_learn_holds_no_transcript_back(caplog: pytest.LogCaptureFixture) -> None:
    """The SDK would drop a batch that fails; the failure is logged, and the memory catches up later."""
    memories = MemoryProvider("summary", llm=ScriptedModel(ModelError("down")), learn_every=1)
    store = MemorySessionStore(memories.store, memories)
    batch = [user("Hello?", "1"), assistant({"type": "text", "text": "Hi."}, uuid="2")]
    asyncio.run(store.append(KEY, batch))
    assert asyncio.run(store.load(KEY)) == batch
    assert contents(memories.get("p").history()) == ["Hello?", "Hi."]
    assert "not learnt from yet" in caplog.text


def test_the_hook_of_a_store_without_a_memory_is_refused(tmp_path: Path) -> None:
    """The error says what to give."""
    given = {"cwd": str(tmp_path), "session_id": "s", "prompt": "hi"}
    with pytest.raises(OptionError, match="MemoryProvider"):
        asyncio.run(MemorySessionStore(InMemoryStore()).remind(given, None, {}))


def test_the_sdks_helpers_work_on_the_store(tmp_path: Path) -> None:
    """Sessions are listed, renamed, tagged, forked, read and deleted through the SDK's own functions."""
    store = MemorySessionStore(InMemoryStore())
    key = {**KEY, "project_key": sdk.project_key_for_directory(tmp_path)}
    uuids = [f"0b7b8a52-2b5c-4b8e-9f3c-8f1d8d6e6b0{n}" for n in range(2)]
    common = {"sessionId": KEY["session_id"], "timestamp": "2026-01-01T00:00:00Z", "isSidechain": False}
    first = user("Hello?", uuids[0], parentUuid=None, **common)
    second = {**assistant({"type": "text", "text": "Hi."}, uuid=uuids[1]), "parentUuid": uuids[0], **common}

    async def scene() -> None:
        await store.append(key, [first, second])
        where = {"directory": str(tmp_path)}
        await sdk.rename_session_via_store(store, KEY["session_id"], "Cats", **where)
        await sdk.tag_session_via_store(store, KEY["session_id"], "pets", **where)
        (listed,) = await sdk.list_sessions_from_store(store, **where)
        assert (listed.custom_title, listed.tag, listed.first_prompt) == ("Cats", "pets", "Hello?")
        forked = await sdk.fork_session_via_store(store, KEY["session_id"], **where)
        read = await sdk.get_session_messages_from_store(store, forked.session_id, **where)
        assert [message.type for message in read] == ["user", "assistant"]
        await sdk.delete_session_via_store(store, KEY["session_id"], **where)
        assert [one.session_id for one in await sdk.list_sessions_from_store(store, **where)] == [forked.session_id]

    asyncio.run(scene())


def test_awkward_keys_do_not_meet() -> None:
    """A slash, a percent sign or a prefix in a key leads nowhere else."""
    store = MemorySessionStore(InMemoryStore())
    keys = [
        {"project_key": "a", "session_id": "b/c"},
        {"project_key": "a/b", "session_id": "c"},
        {"project_key": "a%2Fb", "session_id": "c"},
        {"project_key": "a", "session_id": "b", "subpath": "c"},
        {"project_key": "ab", "session_id": "c"},
    ]

    async def scene() -> None:
        for number, key in enumerate(keys):
            await store.append(key, [{"type": "x", "n": number}])
        assert [(await store.load(key) or [{}])[0]["n"] for key in keys] == list(range(5))
        assert [one["session_id"] for one in await store.list_sessions("a")] == ["b/c"]
        assert await store.list_subkeys({"project_key": "a", "session_id": "b"}) == ["c"]

    asyncio.run(scene())


def test_more_sessions_than_a_page_are_listed() -> None:
    """However many there are, each is listed once."""
    store = MemorySessionStore(InMemoryStore())

    async def scene() -> list[Any]:
        for number in range(250):
            await store.append({"project_key": "p", "session_id": f"s{number}"}, [{"type": "x"}])
        return await store.list_sessions("p")

    listed = asyncio.run(scene())
    assert sorted(one["session_id"] for one in listed) == sorted(f"s{number}" for number in range(250))


def test_the_page(tmp_path: Path) -> None:
    """The program of docs/hosts/claude_agent.md runs as it stands, and prints what is written there."""
    with served(["Hello Anna.", "Pixel."]) as api:
        given = options_of(MemorySessionStore(InMemoryStore(), create_memory("buffer")), api.url, tmp_path / "anna")
        run_page("claude_agent", folder=str(tmp_path / "anna"), env=given.env)
        assert json.dumps(api.sent[1]).count("My cat is called Pixel.") == 1
