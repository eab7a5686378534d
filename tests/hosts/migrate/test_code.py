"""`memzoo migrate`: code for LangChain's memory classes becomes code for memzoo's, and runs."""

import functools
import json
import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from memzoo.cli.commands import app
from memzoo.errors import MissingExtraError, TransferError
from memzoo.hosts.migrate.apart import Apart
from memzoo.hosts.migrate.code import Migrated, migrate_code, python_files, write
from memzoo.hosts.migrate.code_names import mentions_langchain_memory
from memzoo.hosts.migrate.importing import raise_error
from tests.hosts.migrate.samples import SAMPLES, Sample
from tests.hosts.sides import Talker, WordsModel

LEAST = 0.9
NAMES = [sample.source.split(" ", 1)[0] for sample in SAMPLES]


def migrated(folder: Path, code: str, *, without_langchain: bool = False) -> Migrated:
    """What becomes of a program."""
    path = folder / "program.py"
    path.write_text(code, encoding="utf-8")
    return migrate_code(path, without_langchain=without_langchain)


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Migrated]:
    """What becomes of the code of a sample without LangChain; several tests look at it."""

    @functools.cache
    def rewrite(code: str) -> Migrated:
        return migrated(tmp_path_factory.mktemp("sample"), code, without_langchain=True)

    return rewrite


def module(name: str, **contents: Any) -> ModuleType:
    """A module with these names."""
    made = ModuleType(name)
    made.__dict__.update(contents)
    return made


def always(model: Any) -> Any:
    """What makes one and the same model, whatever it is told."""

    def make(**_: Any) -> Any:
        return model

    return make


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Where samples run: LangChain as it was, but for its memory, and scripted models in place of a provider's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import langchain_classic.agents
        import langchain_classic.chains.conversation.base
        import langchain_classic.memory.prompt
        import langchain_core.prompts

    def into(*replies: str) -> None:
        text, chat = WordsModel(responses=list(replies)), Talker(responses=list(replies))
        models: dict[str, Any] = {"OpenAI": always(text), "ChatOpenAI": always(chat)}
        there = {
            "langchain.chains": langchain_classic.chains,
            "langchain.agents": langchain_classic.agents,
            "langchain.prompts": langchain_core.prompts,
        }
        for name in ("langchain", "langchain.llms", "langchain.chat_models", "langchain_openai"):
            there[name] = module(name, **models)
        vars(there["langchain"])["ConversationChain"] = langchain_classic.chains.ConversationChain
        there["langchain.chains.conversation.base"] = langchain_classic.chains.conversation.base
        there["langchain.memory"] = module("langchain.memory")
        there["langchain.memory.prompt"] = langchain_classic.memory.prompt
        for name, one in there.items():
            monkeypatch.setitem(sys.modules, name, one)
        monkeypatch.chdir(tmp_path)

    return into


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("without_langchain", [False, True], ids=["its chain", "our chain"])
@pytest.mark.parametrize(
    "sample", [one for one in SAMPLES if one.shown is not None], ids=lambda one: one.source.split()[0]
)
def test_a_program_runs_afterwards(
    sample: Sample, world: Any, tmp_path: Path, rewritten: Callable[[str], Migrated], *, without_langchain: bool
) -> None:
    """With a scripted model it does what it did, in LangChain's chain and in ours."""
    world(*sample.replies)
    after = rewritten(sample.code) if without_langchain else migrated(tmp_path, sample.code)
    names: dict[str, Any] = {"__name__": "program", "__file__": str(after.path)}
    exec(compile(after.after, sample.source, "exec"), names)  # noqa: S102 - that is what it is for
    assert names["shown"] == sample.shown


def test_most_call_sites_are_rewritten(rewritten: Callable[[str], Migrated]) -> None:
    """Nine in ten; each of the others is named with the reason and what to write instead."""
    found = [finding for sample in SAMPLES for finding in rewritten(sample.code).findings]
    left = [finding for finding in found if finding.reason]
    assert len(SAMPLES) >= 20
    assert len(found) - len(left) >= LEAST * len(found)
    assert all(finding.advice for finding in left)


def test_the_table(rewritten: Callable[[str], Migrated]) -> None:
    """What samples.md says of each file is what comes out."""
    page = Path(__file__).with_name("samples.md").read_text(encoding="utf-8")
    for sample in SAMPLES:
        after = rewritten(sample.code)
        outcome = "; ".join(f"`{one.name}` {one.reason}" for one in after.left) or (
            "runs" if sample.shown is not None else "not run"
        )
        repository, _, file = sample.source.partition(" ")
        moved = len(after.findings) - len(after.left)
        assert f"| {repository}, `{file}` | {moved} | {len(after.left)} | {outcome} |\n" in page


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_a_second_run_changes_nothing(sample: Sample, rewritten: Callable[[str], Migrated]) -> None:
    """What was rewritten is no longer found, and comments and all else are as they were."""
    after = rewritten(sample.code)
    write(after)
    again = migrate_code(after.path, without_langchain=True)
    stays = [one.name for one in after.findings if one.reason or "keeps its messages" in one.advice]
    assert (again.diff, [one.name for one in again.findings]) == ("", stays)
    comments = [line.partition("#")[2] for line in sample.code.splitlines() if "#" in line]
    assert [line.partition("#")[2] for line in after.path.read_text("utf-8").splitlines() if "#" in line] == comments


FORMS = """
from langchain.memory import (
    ConversationBufferMemory,  # all
    ZepMemory,
)
---
from langchain.memory import (
    ZepMemory,
)
from memzoo.langchain import (
    ConversationBufferMemory,  # all
)
===
from langchain import OpenAI, ConversationChain  # both
---
from langchain import OpenAI  # both
from memzoo.langchain import ConversationChain
===
import os; from langchain.memory import ConversationKGMemory as KG
---
import os
from memzoo.langchain import ConversationKGMemory as KG
===
def f():
	from langchain_core.chat_history import InMemoryChatMessageHistory as H
	return H()
---
def f():
	from memzoo.langchain import ChatMessageHistory as H
	return H()
===
import langchain.memory as lm
m = lm.ConversationBufferMemory()
---
import memzoo.langchain
m = memzoo.langchain.ConversationBufferMemory()
===
import langchain.memory
langchain.debug = True
m = langchain.memory.ConversationBufferMemory()
---
import langchain.memory
import memzoo.langchain
langchain.debug = True
m = memzoo.langchain.ConversationBufferMemory()
===
from langchain import memory
m = Chain(memory=memory.ConversationBufferMemory(k=1))
---
import memzoo.langchain
m = Chain(memory=memzoo.langchain.ConversationBufferMemory(k=1))
===
from langchain_classic import memory as m, chains  # both
KINDS = {"all": m.ConversationBufferMemory}
---
from langchain_classic import chains  # both
import memzoo.langchain
KINDS = {"all": memzoo.langchain.ConversationBufferMemory}
===
import langchain.memory as lcm
def f(m: lcm.ConversationBufferMemory):
    return lcm.prompt.SUMMARY_PROMPT
---
import langchain.memory as lcm
import memzoo.langchain
def f(m: memzoo.langchain.ConversationBufferMemory):
    return lcm.prompt.SUMMARY_PROMPT
===
import langchain.memory as lcm
def f() -> "lcm.ConversationBufferMemory":
    return lcm.ConversationBufferMemory()
---
import langchain.memory as lcm
import memzoo.langchain
def f() -> "lcm.ConversationBufferMemory":
    return memzoo.langchain.ConversationBufferMemory()
===
import langchain.memory as lcm
from langchain.memory import ZepMemory
m = [ZepMemory(), lcm.SimpleMemory()]
---
import memzoo.langchain
from langchain.memory import ZepMemory
m = [ZepMemory(), memzoo.langchain.SimpleMemory()]
===
import langchain_community.memory.kg as kg
from langchain_community import chat_message_histories as h
m = kg.ConversationKGMemory(
    chat_memory=h.SQLChatMessageHistory("a", url)
)
---
import memzoo.langchain
import memzoo.langchain
from memzoo import open_store
m = memzoo.langchain.ConversationKGMemory(
    chat_memory=memzoo.langchain.ChatMessageHistory(conversation_id="a", store=open_store(url))
)
===
import langchain
from langchain.chains import LLMChain
from langchain.memory import SimpleMemory
langchain.debug = SimpleMemory()
---
import langchain
from langchain.chains import LLMChain
from memzoo.langchain import SimpleMemory
langchain.debug = SimpleMemory()
===
from langchain_community.chat_message_histories import SQLChatMessageHistory as H
h = H(
    session_id=one,  # who
    connection_string=url,
)
---
from memzoo.langchain import ChatMessageHistory as H
from memzoo import open_store
h = H(
    conversation_id=one,  # who
    store=open_store(url),
)
===
from langchain.memory import (
    SimpleMemory,
    RedisChatMessageHistory as R,  # there
    ZepMemory
)
---
from langchain.memory import (
    ZepMemory
)
from memzoo.langchain import (
    SimpleMemory,
)
from langchain_community.chat_message_histories import (
    RedisChatMessageHistory as R,  # there
)
===
def f():
    from langchain.memory import (
        SimpleMemory,
        ZepMemory,
    )
---
def f():
    from langchain.memory import (
        ZepMemory,
    )
    from memzoo.langchain import (
        SimpleMemory,
    )
===
try:
    from langchain.memory import SimpleMemory
except ImportError:
    SimpleMemory = None
---
try:
    from memzoo.langchain import SimpleMemory
except ImportError:
    SimpleMemory = None
"""


@pytest.mark.parametrize("form", FORMS.split("==="))
def test_forms_of_import(form: str, tmp_path: Path) -> None:
    """However a class was imported, nothing else on the lines changes."""
    before, after = form.split("---")
    assert migrated(tmp_path, before, without_langchain=True).after == after


@pytest.mark.parametrize(
    ("code", "line", "reason", "advice"),
    [
        ("class Mine(ConversationBufferMemory):\n    pass\n", 2, "is the base of Mine", "docs/extending.md"),
        ("m = ZepMemory(url)\n", 2, "keeps its memory at a service", "open_store"),
        ("h = SQLChatMessageHistory('a', connection=engine)\n", 2, "is rewritten only with", "open_store(url)"),
        ("h = SQLChatMessageHistory('a', 'mysql://x')\n", 2, "is rewritten only with", "open_store(url)"),
        ("h = SQLChatMessageHistory(*given)\n", 2, "is rewritten only with", "open_store(url)"),
        ("c = ConversationChain(llm=x)\n", 2, "accepts the memories of memzoo", "--without-langchain"),
        ("s = SQLiteEntityStore()\n", 2, "stored the notes", "open_store"),
        ("x = [\n 1,\n ConversationVectorStoreTokenBufferMemory()]\n", 4, "no counterpart", "CombinedMemory"),
    ],
)
def test_what_cannot_be_rewritten(code: str, line: int, reason: str, advice: str, tmp_path: Path) -> None:
    """It stays as it is, and is named with its line, the reason and what to write."""
    names = [name for name in LEFT_NAMES if name in code]
    source = f"from langchain.memory import {', '.join(names)}\n{code}"
    after = migrated(tmp_path, source)
    assert after.diff == ""
    [finding] = after.left
    assert (finding.line, finding.name) == (line, names[0])
    assert reason in finding.reason
    assert advice in finding.advice


LEFT_NAMES = (
    "ConversationBufferMemory ZepMemory SQLChatMessageHistory ConversationChain "
    "SQLiteEntityStore ConversationVectorStoreTokenBufferMemory"
).split()


def test_places_to_look_at_by_hand(tmp_path: Path) -> None:
    """Questions about a class that no counterpart passes for, and names in texts, are listed with their lines."""
    code = (
        "from langchain.memory import ConversationBufferMemory\n"
        "from langchain.memory.chat_memory import BaseChatMemory\n"
        "def f(x: BaseChatMemory):\n"
        "    assert isinstance(x, (int, BaseChatMemory)) or issubclass(type(x), BaseChatMemory)\n"
        "    assert isinstance(x, ConversationBufferMemory)\n"
        '    with patch("langchain.memory.buffer.ConversationBufferMemory.clear"):\n'
        "        patch('langchain.chains.ConversationChain')\n"
        "        patch('langchain_community.chat_message_histories.RedisChatMessageHistory')\n"
        "        patch('langchain.memory.ZepMemory'), patch('langchain.schema.HumanMessage')\n"
        "        return import_module('langchain_classic.memory'), 'see langchain.memory.SimpleMemory'\n"
    )
    after = migrated(tmp_path, code)
    assert [(one.line, one.name) for one in after.left] == [
        (4, "isinstance of BaseChatMemory"),
        (4, "issubclass of BaseChatMemory"),
        (6, "'langchain.memory.buffer.ConversationBufferMemory.clear'"),
        (9, "'langchain.memory.ZepMemory'"),
        (10, "'langchain_classic.memory'"),
    ]
    assert "'memzoo.langchain.ConversationBufferMemory.clear'" in after.left[2].advice
    assert all(one.reason and one.advice for one in after.left)
    both = migrated(tmp_path, code, without_langchain=True).left
    assert [one.line for one in both] == [4, 4, 6, 7, 9, 10]


def test_a_chain_that_moves_names_what_is_not_the_same(tmp_path: Path) -> None:
    """Rewritten by a flag, each use of it that ours has not, and its prompt, are told; what ours has is not."""
    code = (
        "from langchain.chains import ConversationChain\n"
        "class App:\n"
        "    def __init__(self):\n"
        "        self.chain: object = ConversationChain(llm=x, callbacks=[h])\n"
        "    def answer(self, text):\n"
        "        self.chain.prompt.template, self.chain.memory.buffer\n"
        "        other.generate([])\n"
        "        return self.chain.batch([text]), self.chain.generate([text])\n"
    )
    after = migrated(tmp_path, code, without_langchain=True)
    assert "from memzoo.langchain import ConversationChain\n" in after.after
    assert [(one.line, one.name, bool(one.reason)) for one in after.findings] == [
        (4, "ConversationChain", False),
        (8, "ConversationChain.generate", True),
    ]
    assert "memzoo's words" in after.findings[0].advice
    with_prompt = migrated(tmp_path, code.replace("callbacks=[h]", "prompt=p"), without_langchain=True)
    assert "memzoo's words" not in with_prompt.findings[0].advice
    [left] = migrated(tmp_path, code.replace("callbacks=[h]", "llm_kwargs={}"), without_langchain=True).findings
    assert "'llm_kwargs'" in left.reason


def test_a_chain_stays_with_its_prompt_and_the_memory_moves(tmp_path: Path) -> None:
    """LangChain's chain keeps LangChain's prompt: nothing that the model is asked changes."""
    code = (
        "from langchain.chains import ConversationChain\n"
        "from langchain.memory import ConversationEntityMemory\n"
        "from langchain.memory.prompt import ENTITY_MEMORY_CONVERSATION_TEMPLATE\n"
        "c = ConversationChain(llm=x, prompt=ENTITY_MEMORY_CONVERSATION_TEMPLATE, memory=ConversationEntityMemory())\n"
    )
    after = migrated(tmp_path, code)
    assert after.after == code.replace("from langchain.memory import", "from memzoo.langchain import")


def test_histories_that_stay(tmp_path: Path) -> None:
    """A history that keeps its messages elsewhere works as it is, and is named."""
    line = "from langchain_community.chat_message_histories import RedisChatMessageHistory\n"
    [finding] = migrated(tmp_path, f"{line}h = RedisChatMessageHistory('a')\n").left
    assert (finding.line, finding.name) == (2, "RedisChatMessageHistory")
    assert "stays as it is" in finding.reason


def test_a_history_that_moves_says_what_else_there_is_to_do(tmp_path: Path) -> None:
    """What is in its database comes over by a command that is named; a memory that moves needs nothing else."""
    code = (
        "from langchain.memory import ConversationBufferMemory\n"
        "from langchain_community.chat_message_histories import SQLChatMessageHistory\n"
        "h = SQLChatMessageHistory('a', 'sqlite:///old.db')\n"
        "m = ConversationBufferMemory(chat_memory=h)\n"
    )
    history, memory = migrated(tmp_path, code).findings
    assert (history.reason, "memzoo import --from langchain-sql URL --store URL" in history.advice) == ("", True)
    assert (memory.reason, memory.advice) == ("", "")


def test_a_module_that_a_class_is_still_reached_through_stays_imported(tmp_path: Path) -> None:
    """What is rewritten beside it is reached through memzoo's."""
    code = (
        "import langchain.memory\n"
        "class Mine(langchain.memory.ConversationBufferMemory): ...\n"
        "a = langchain.memory.SimpleMemory()\n"
    )
    after = migrated(tmp_path, code)
    assert "import langchain.memory\n" in after.after
    assert "a = memzoo.langchain.SimpleMemory()" in after.after
    assert [line for line in after.diff.splitlines() if line[0] in "+-"][2:] == [
        "+import memzoo.langchain",
        "-a = langchain.memory.SimpleMemory()",
        "+a = memzoo.langchain.SimpleMemory()",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import langchain.memory\n", ""),
        ("from langchain import memory\n", ""),
        ("import os, langchain.memory\n", "import os\n"),
        ("from langchain import chains, memory\nchains.x\n", "from langchain import chains\nchains.x\n"),
    ],
)
def test_an_import_without_use_goes(before: str, after: str, tmp_path: Path) -> None:
    """An unused import of LangChain's memories is removed, because the program may run without LangChain."""
    code = before + "from langchain.memory import SimpleMemory\na = SimpleMemory()\n"
    assert migrated(tmp_path, code).after == f"{after}from memzoo.langchain import SimpleMemory\na = SimpleMemory()\n"


@pytest.mark.parametrize("listed", ["__all__ = ['memory']", "__all__: list[str] = ['memory']", "__all__ += ['memory']"])
def test_an_import_that_all_names_stays(listed: str, tmp_path: Path) -> None:
    """Other modules may import the name from here."""
    code = f"from langchain import memory\nfrom langchain.memory import SimpleMemory\n{listed}\n"
    assert migrated(tmp_path, code).after == code.replace("langchain.memory", "memzoo.langchain")


def test_a_renamed_class_that_all_names_keeps_its_name(tmp_path: Path) -> None:
    """Other modules may import the class from here, by LangChain's name."""
    code = (
        "from langchain_core.chat_history import InMemoryChatMessageHistory\n"
        "__all__ = ['InMemoryChatMessageHistory']\na = InMemoryChatMessageHistory()\n"
    )
    new = "from memzoo.langchain import ChatMessageHistory as InMemoryChatMessageHistory\n"
    assert migrated(tmp_path, code).after == "".join([new, *code.splitlines(keepends=True)[1:]])


def test_without_the_parser_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is started in vain."""
    (tmp_path / "a.py").write_text("from langchain.memory import SimpleMemory\n", encoding="utf-8")

    def nowhere(_: str) -> None:
        return None

    monkeypatch.setattr("importlib.util.find_spec", nowhere)
    with pytest.raises(MissingExtraError, match=r"memzoo\[migrate\]"), Apart(60) as apart:
        apart.migrate_file(tmp_path / "a.py")


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("'a', 'sqlite:///old.db'", "'sqlite:///old.db'"),
        ("session_id='a', connection_string=url", "url"),
        ("'a', connection='sqlite:///old.db'", "'sqlite:///old.db'"),
        ("'a', connection=f'sqlite:///{file}'", "f'sqlite:///{file}'"),
        ("'a', connection=engine", ""),
        ("'a', 'mysql://host/db'", ""),
        ("'a', url, table_name='talks'", ""),
        ("*given", ""),
        ("'a'", ""),
    ],
)
def test_where_a_history_in_a_database_is(given: str, url: str, tmp_path: Path) -> None:
    """It moves where its session and the URL of SQLite or PostgreSQL can be seen, and is left where they cannot."""
    line = "from langchain_community.chat_message_histories import SQLChatMessageHistory\n"
    after = migrated(tmp_path, f"{line}h = SQLChatMessageHistory({given})\n")
    assert bool(after.left) == (not url)
    if url:
        assert f"h = ChatMessageHistory(conversation_id='a', store=open_store({url}))\n" in after.after


def test_one_use_keeps_the_others(tmp_path: Path) -> None:
    """A class that is a base in a file is LangChain's in all of that file; the other classes move."""
    code = (
        "from langchain.memory import ConversationBufferMemory, SimpleMemory\n"
        "class Mine(ConversationBufferMemory): ...\n"
        "a, b = ConversationBufferMemory(), SimpleMemory()\n"
    )
    after = migrated(tmp_path, code)
    assert [(one.line, one.name, bool(one.reason)) for one in after.findings] == [
        (2, "ConversationBufferMemory", True),
        (3, "ConversationBufferMemory", True),
        (3, "SimpleMemory", False),
    ]
    assert "from langchain.memory import ConversationBufferMemory\n" in after.after


def test_a_name_imported_from_two_modules_is_one_use(tmp_path: Path) -> None:
    """A notebook often imports a class again; the places of its uses are listed once."""
    code = (
        "if old:\n    from langchain import ConversationChain\n"
        "else:\n    from langchain.chains import ConversationChain\n"
        "ConversationChain()\n"
    )
    assert [(one.line, one.name) for one in migrated(tmp_path, code).findings] == [(5, "ConversationChain")]


def test_a_star_is_named(tmp_path: Path) -> None:
    """Nobody knows what it brings."""
    [finding] = migrated(tmp_path, "from langchain.memory import *\nm = ConversationBufferMemory()\n").left
    assert (finding.line, finding.advice) == (1, "from memzoo.langchain import the names that you use")


LOOKED_UP = """\
from langchain_community.chat_message_histories import SQLChatMessageHistory
import os

URL = "sqlite:///old.db"


def named(session):
    store = SQLChatMessageHistory(session, connection_string=URL)
    return SQLChatMessageHistory(session, connection_string=URL)


def told(session, url):
    return [SQLChatMessageHistory(session, url), SQLChatMessageHistory(session, os.environ["URL"])]


written = lambda session: SQLChatMessageHistory(session, "sqlite:///new.db")
"""
OPENED = """\
from memzoo.langchain import ChatMessageHistory
from memzoo import open_store
import os
store_3 = open_store("sqlite:///new.db")

URL = "sqlite:///old.db"
store_2 = open_store(URL)


def named(session):
    store = ChatMessageHistory(conversation_id=session, store=store_2)
    return ChatMessageHistory(conversation_id=session, store=store_2)


def told(session, url):
    return [ChatMessageHistory(conversation_id=session, store=open_store(url)), \
ChatMessageHistory(conversation_id=session, store=open_store(os.environ["URL"]))]


written = lambda session: ChatMessageHistory(conversation_id=session, store=store_3)
"""


def test_a_module_opens_the_store_of_its_functions_once(tmp_path: Path) -> None:
    """Where the URL is a text or a name of the module; elsewhere the call opens it, and the advice says so."""
    after = migrated(tmp_path, LOOKED_UP)
    assert after.after == OPENED
    assert [one.line for one in after.findings if "open the store once" in one.advice] == [13]


def notebook(*cells: str | list[str], **style: Any) -> str:
    """A notebook with these code cells, between two of Markdown."""
    said: dict[str, Any] = {"cell_type": "markdown", "metadata": {}, "source": ["From langchain.memory import é"]}
    code: list[dict[str, Any]] = [
        {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": cell} for cell in cells
    ]
    return json.dumps({"cells": [said, *code, said], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, **style)


@pytest.mark.parametrize("style", [{"indent": 1, "ensure_ascii": False}, {"indent": 2}, {}])
def test_a_notebook_is_read_as_its_cells(style: dict[str, Any], tmp_path: Path) -> None:
    """One program, whose outputs, texts and lines for IPython stay, in the file's own style of JSON."""
    path, magic = tmp_path / "bot.ipynb", ["%pip install langchain\n", "    # é\n"]
    path.write_text(
        notebook(
            [*magic, "from langchain.memory import ConversationBufferMemory, ZepMemory"],
            "!ls\nm = ConversationBufferMemory()\nz = ZepMemory()\nm?",
            "files = !ls\nfrom langchain.memory import SimpleMemory",
            **style,
        ),
        encoding="utf-8",
    )
    after = migrate_code(path)
    new = ["from langchain.memory import ZepMemory\n", "from memzoo.langchain import ConversationBufferMemory"]
    assert after.after == notebook(
        [*magic, *new],
        "!ls\nm = ConversationBufferMemory()\nz = ZepMemory()\nm?",
        "files = !ls\nfrom langchain.memory import SimpleMemory",
        **style,
    )
    assert after.places == (f"{path}: cell 2, line 2", f"{path}: cell 2, line 3", f"{path}: cell 3, line 1")
    assert [one.name for one in after.left] == ["ZepMemory", "this cell"]
    write(after)
    assert migrate_code(path).diff == ""


@pytest.mark.parametrize("text", ["", "[]", '{"cells": [{}]}', '{"worksheets": []}', "[" * 100_000])
def test_a_notebook_that_is_none_is_refused(text: str, tmp_path: Path) -> None:
    """With its path and the reason."""
    path = tmp_path / "bot.ipynb"
    path.write_text(f"{text}langchain SimpleMemory", encoding="utf-8")
    with pytest.raises(TransferError, match=r"bot.ipynb cannot be read as Python: not a notebook of version 4"):
        migrate_code(path)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that parses has the parser from this one: to load it takes longer than to parse."""
    if "fork" in multiprocessing.get_all_start_methods():
        monkeypatch.setattr("memzoo.hosts.migrate.apart._CONTEXT", multiprocessing.get_context("fork"))


FORKED = pytest.mark.usefixtures("forked")


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
class TestCommand:
    """The command shows first, and writes when it is told to."""

    @FORKED
    def test_shows_and_writes(self, tmp_path: Path) -> None:
        """A folder, with files that are no business of it; bytes of others stay as they are."""
        code = b"# -*- coding: latin-1 -*-\r\nfrom langchain.memory import SimpleMemory\r\nx = '\xe9'\r\n"
        file = tmp_path / "app" / "chat.py"
        for folder in ("app", "venv", "other"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "chat.py").write_bytes(code if folder != "other" else b"import os\n")
        (tmp_path / "other" / "broken.py").write_text("from langchain import SimpleMemory (", encoding="utf-8")
        shown = CliRunner().invoke(app, ["migrate", str(tmp_path)])
        assert (type(shown.exception), file.read_bytes()) == (TransferError, code)
        assert "+from memzoo.langchain import SimpleMemory" in shown.output
        assert "1 of 2 files to change; --write does it" in shown.output
        assert " x = 'é'\n0 uses of LangChain's memory rewritten" in shown.stdout.replace("\r", "")
        assert "broken.py cannot be read as Python" in shown.output
        done = CliRunner().invoke(app, ["migrate", str(tmp_path), "--write"])
        assert "1 of 2 files changed" in done.output
        assert file.read_bytes() == code.replace(b"langchain.memory", b"memzoo.langchain")
        assert (tmp_path / "venv" / "chat.py").read_bytes() == code
        assert [path.name for path in python_files(file, raise_error, pytest.fail)] == ["chat.py"]

    @FORKED
    def test_takes_several_paths(self, tmp_path: Path) -> None:
        """Each file once, however often it is named."""
        for name in ("a.py", "b.py"):
            (tmp_path / name).write_text("from langchain.memory import SimpleMemory\n", encoding="utf-8")
        (tmp_path / "c.ipynb").write_text(notebook("from langchain.memory import SimpleMemory"), encoding="utf-8")
        named = [str(tmp_path / name) for name in ("a.py", "", "b.py")]
        assert "3 of 3 files to change" in CliRunner().invoke(app, ["migrate", *named]).output

    @FORKED
    def test_names_what_is_left(self, tmp_path: Path) -> None:
        """File, line, reason and advice stand on one line."""
        (tmp_path / "a.py").write_text("from langchain.memory import ZepMemory\nm = ZepMemory()\n", encoding="utf-8")
        shown = CliRunner().invoke(app, ["migrate", str(tmp_path / "a.py")])
        assert f"{tmp_path / 'a.py'}:2: ZepMemory keeps its memory at a service; a memory of memzoo" in shown.output
        assert "0 uses of LangChain's memory rewritten, 1 left" in shown.output

    @FORKED
    def test_says_that_a_model_is_asked_in_other_words(self, tmp_path: Path) -> None:
        """Nobody sees that in the code; of memories that ask no model nothing is said."""
        texts: list[str] = []
        for name in ("ConversationSummaryMemory", "ConversationBufferMemory"):
            (tmp_path / "a.py").write_text(f"from langchain.memory import {name}\nm = {name}(llm=x)\n", "utf-8")
            texts.append(CliRunner().invoke(app, ["migrate", str(tmp_path)]).output)
        assert ["in memzoo's words" in text for text in texts] == [True, False]

    @FORKED
    def test_shows_a_difference_once(self, tmp_path: Path) -> None:
        """What was shown is not shown again when it is written: each file that changed is named."""
        (tmp_path / "a.py").write_text("from langchain.memory import SimpleMemory\n", encoding="utf-8")
        done = CliRunner().invoke(app, ["migrate", str(tmp_path), "--write"]).output
        assert done.splitlines()[0] == f"changed: {tmp_path}/a.py"
        assert "+from" not in done

    def test_nothing_there(self, tmp_path: Path) -> None:
        """A path that is not there is an error."""
        with pytest.raises(TransferError, match="no file or folder"):
            list(python_files(tmp_path / "none", raise_error, pytest.fail))

    @FORKED
    def test_odd_files_are_named_and_the_rest_goes_on(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whatever stands in a folder, each thing that is not read is one line, and links out of it are left alone."""
        import_it = "from langchain.memory import SimpleMemory\n"
        (tmp_path / "outside.py").write_text(import_it, encoding="utf-8")
        folder = tmp_path / "src"
        (folder / "pkg.py").mkdir(parents=True)
        odd = {
            "coding.py": f"# coding: utf-99\n{import_it}",
            "hex.py": f"# coding: hex\n{import_it}",
            "rot13.py": f"# coding: rot13\n{import_it}",
            "deep.py": f"{import_it}x = {'(' * 3_000}{')' * 3_000}\n",
            "signs.py": f"{import_it}x = {'-' * 1_000}1\n",
            "wide.py": f"{import_it}x = {'+'.join(['1'] * 20_000)}\n",
            "latin.py": f"{import_it}# caf\xe9\n",
        }
        for name, code in odd.items():
            (folder / name).write_text(code, encoding="latin-1")
        for name in ("good.py", "pkg.py/also.py"):
            (folder / name).write_text(import_it, encoding="utf-8")
        (folder / "dangling.py").symlink_to("nowhere.py")
        (folder / "loop.py").symlink_to("loop.py")
        (folder / "linked.py").symlink_to(tmp_path / "outside.py")
        (folder / "linked").symlink_to(tmp_path)
        (folder / "same.py").symlink_to("good.py")
        os.mkfifo(folder / "pipe.py")
        monkeypatch.setattr("memzoo.hosts.migrate.command._SECONDS", 3)
        done = CliRunner().invoke(app, ["migrate", str(folder), "--write"])
        assert "2 of 2 files changed." in done.output, done
        named = {line.split()[2].removeprefix(f"{folder}/") for line in done.stderr.splitlines()}
        assert named == {*odd, "dangling.py", "loop.py", "linked.py", "linked", "pipe.py", "pkg.py"}
        assert len(done.stderr.splitlines()) == len(named)
        assert str(done.exception) == f"{len(odd)} paths could not be read or written, and stayed as before"
        assert f"{folder}/deep.py cannot be read: the parser crashes on it" in done.stderr
        assert f"{folder}/wide.py was skipped: it takes more than 3 seconds" in done.stderr
        assert (tmp_path / "outside.py").read_text(encoding="utf-8") == import_it
        for name in ("good.py", "pkg.py/also.py", "same.py"):
            assert (folder / name).read_text(encoding="utf-8") == "from memzoo.langchain import SimpleMemory\n"
        assert (folder / "same.py").is_symlink()
        assert not list(folder.rglob(".*"))

    def test_links_that_are_left_alone_are_no_error(self, tmp_path: Path) -> None:
        """They are named, and the command ends well: all that the folder has was read."""
        folder = tmp_path / "src"
        folder.mkdir()
        (folder / "a.py").write_text("import os\n", encoding="utf-8")
        (folder / "out.py").symlink_to(tmp_path)
        done = CliRunner().invoke(app, ["migrate", str(folder)])
        assert (done.exit_code, done.stderr) == (
            0,
            f"left alone: {folder}/out.py is a link to a place outside the folder, {tmp_path}\n",
        )

    @FORKED
    def test_a_link_to_a_program_that_is_not_read_by_itself(self, tmp_path: Path) -> None:
        """A script without an ending, or a file of an installed package, is read where a link names it."""
        (tmp_path / "venv").mkdir()
        for place, link in (("script", "tool.py"), ("venv/code.py", "vendored.py")):
            (tmp_path / place).write_text("from langchain.memory import SimpleMemory\n", encoding="utf-8")
            (tmp_path / link).symlink_to(place)
        done = CliRunner().invoke(app, ["migrate", str(tmp_path), "--write"])
        assert "2 of 2 files changed." in done.output
        for place in ("script", "venv/code.py"):
            assert "memzoo.langchain" in (tmp_path / place).read_text(encoding="utf-8")

    def test_a_file_that_changed_meanwhile(self, tmp_path: Path) -> None:
        """What somebody has written since is not overwritten with what was there before."""
        after = migrated(tmp_path, "from langchain.memory import SimpleMemory\n")
        after.path.write_text("mine\n", encoding="utf-8")
        with pytest.raises(TransferError, match="has changed since it was read"):
            write(after)
        assert after.path.read_text(encoding="utf-8") == "mine\n"

    @FORKED
    def test_a_file_that_cannot_be_written(self, tmp_path: Path) -> None:
        """It is named, the others are changed, and the exit says so."""
        for name in ("a.py", "b.py"):
            (tmp_path / name).write_text("from langchain.memory import SimpleMemory\n", encoding="utf-8")
        (tmp_path / ".a.py.memzoo").mkdir()
        done = CliRunner().invoke(app, ["migrate", str(tmp_path), "--write"])
        assert f"not written: {tmp_path}/a.py cannot be written" in done.stderr
        assert "1 of 2 files changed." in done.output
        assert isinstance(done.exception, TransferError)
        assert "langchain.memory" in (tmp_path / "a.py").read_text(encoding="utf-8")

    def test_a_write_that_fails_leaves_nothing_beside(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The disk is full when the new text is written: the file is as it was, and alone."""

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        after = migrated(tmp_path, "from langchain.memory import SimpleMemory\n")
        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(TransferError, match="cannot be written: No space left"):
            write(after)
        assert after.path.read_text(encoding="utf-8") == after.before
        assert [one.name for one in after.path.parent.iterdir()] == [after.path.name]

    def test_files_that_name_nothing_of_it_are_not_parsed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Most files of a program have nothing to do with a memory: no process is started for them."""
        (tmp_path / "a.py").write_text("from langchain.llms import OpenAI\n(((", encoding="utf-8")
        monkeypatch.setattr(Apart, "_start", None)
        assert "0 of 1 file changed." in CliRunner().invoke(app, ["migrate", str(tmp_path), "--write"]).output


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_the_cheap_search_finds_all_that_is_rewritten(sample: Sample) -> None:
    """Each program that uses LangChain's memory names something of it."""
    assert mentions_langchain_memory(sample.code.encode())


@pytest.mark.parametrize("star", ["from langchain.memory import *", "from  langchain . memory \\\n import\\\n *"])
def test_the_cheap_search_finds_stars(star: str) -> None:
    """However a star is written, it is looked into."""
    assert mentions_langchain_memory(star.encode())


def test_a_history_that_cannot_move_stays_beside_a_memory_that_moves(tmp_path: Path) -> None:
    """The memory is rewritten, the history is left as it is and named."""
    source = (
        "from langchain.memory import ConversationBufferMemory\n"
        "from langchain_community.chat_message_histories import SQLChatMessageHistory\n"
        "m = ConversationBufferMemory()\n"
        "h = SQLChatMessageHistory('a', connection=engine)\n"
    )
    after = migrated(tmp_path, source)
    assert "+from memzoo.langchain import ConversationBufferMemory" in after.diff
    assert "-from langchain_community" not in after.diff
    assert "-h = SQL" not in after.diff
    [finding] = after.left
    assert (finding.line, finding.name) == (4, "SQLChatMessageHistory")


@FORKED
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_terminal_sees_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There a bar stands beside the output while files are read."""
    (tmp_path / "bot.py").write_text("from langchain.memory import ConversationBufferMemory\n", encoding="utf-8")
    assert "Reading" not in CliRunner().invoke(app, ["migrate", str(tmp_path)]).stderr
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "Reading" in CliRunner().invoke(app, ["migrate", str(tmp_path)]).stderr
