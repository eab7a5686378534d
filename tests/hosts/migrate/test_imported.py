"""What `memzoo migrate` writes runs beside LangChain 0.3, 1.0 and the newest; see `make langchain-versions`."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain", reason="LangChain is not installed; `make langchain-versions` does that")

from memzoo.hosts.migrate.code import migrate_code, write

PLACES = ("langchain.memory", "langchain_classic.memory")
PROGRAMS = {
    "buffer": """
from {place} import ConversationBufferMemory
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder

memory = ConversationBufferMemory(memory_key="history", return_messages=True)
prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("user", "{{input}}")])
chain = prompt | FakeListChatModel(responses=["Hello Anna.", "Anna."])
for said in ("I am Anna.", "Who am I?"):
    answer = chain.invoke({{"input": said, **memory.load_memory_variables({{}})}})
    memory.save_context({{"input": said}}, {{"output": answer.content}})
shown = memory.buffer_as_str
""",
    "summary": """
from {place} import ConversationSummaryMemory
from langchain_core.language_models import FakeListChatModel

memory = ConversationSummaryMemory(llm=FakeListChatModel(responses=["Anna says hello."]))
memory.save_context({{"input": "I am Anna."}}, {{"output": "Hello."}})
shown = memory.load_memory_variables({{}})["history"]
""",
    "chain": """
from {place} import ConversationBufferWindowMemory
from {chains} import ConversationChain
from langchain_core.language_models import FakeListChatModel

chain = ConversationChain(
    llm=FakeListChatModel(responses=["Hello.", "Anna."]), memory=ConversationBufferWindowMemory(k=1)
)
shown = chain.predict(input="I am Anna."), chain.predict(input="Who am I?")
""",
    "history": """
from langchain_community.chat_message_histories import SQLChatMessageHistory
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables.history import RunnableWithMessageHistory


def history(session_id):
    return SQLChatMessageHistory(session_id, connection="sqlite:///chat.db")


model = FakeListChatModel(responses=["Hello.", "Anna."])
chat = RunnableWithMessageHistory(model, history)
for said in ("I am Anna.", "Who am I?"):
    chat.invoke(said, {{"configurable": {{"session_id": "anna"}}}})
shown = [message.content for message in history("anna").messages]
""",
}
SHOWN: dict[str, Any] = {
    "buffer": "Human: I am Anna.\nAI: Hello Anna.\nHuman: Who am I?\nAI: Anna.",
    "summary": "Anna says hello.",
    "chain": ("Hello.", "Anna."),
    "history": ["I am Anna.", "Hello.", "Who am I?", "Anna."],
}


@pytest.mark.parametrize("suffix", [".py", ".ipynb"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_written_runs(
    name: str, place: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program for any of these LangChains runs beside this one, and shows the same."""
    monkeypatch.chdir(tmp_path)
    code = PROGRAMS[name].format(place=place, chains=place.replace("memory", "chains"))
    cell: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": code}
    path = tmp_path / f"program{suffix}"
    path.write_text(code if suffix == ".py" else json.dumps({"cells": [cell], "nbformat": 4}), encoding="utf-8")
    after = migrate_code(path, without_langchain=True)
    assert not after.left
    write(after)
    if suffix == ".ipynb":
        (cell,) = json.loads(path.read_text(encoding="utf-8"))["cells"]
        path = path.with_suffix(".py")
        path.write_text(cell["source"], encoding="utf-8")
    assert runpy.run_path(str(path))["shown"] == SHOWN[name]
