"""What docs/extending.md promises, with its packages installed."""

import json
import re
from pathlib import Path

from memzoo.stores import Store
from tests.in_turn import IN_TURN, ran
from tests.plugins.conftest import PAGE, Run, blocks

SCRIPT = """
from memzoo import create_memory, open_store
from memzoo.errors import OptionError

for name in ("pinned", "PinnedMemory"):
    memory = create_memory(name, k=0)
    memory.save_context({"input": "Remember: Rex bites."}, {"output": "ok"})
    memory.save_context({"input": "Hi"}, {"output": "Hello"})
    print(type(memory).__name__, memory.load_memory_variables({}))
try:
    create_memory("pinned", k=-1)
except OptionError as error:
    print(error)

asked = []
def model(messages):
    asked.append(messages[0]["content"])
    return "Topic: Anna and Oslo."
for prompts in (None, {"topic": "Worum geht es? {{ new_lines }}"}):
    memory = create_memory("topic", llm=model, prompts=prompts, learn_every=1)
    memory.save_context({"input": "Anna lives in Oslo."}, {"output": "Noted."})
    print(asked[-1].splitlines()[0], memory.usage["topic"].calls, memory.messages()[0]["content"])
try:
    create_memory("topic", llm=model, prompts={"topic": "{{ lines }}"})
except OptionError as error:
    print(error)

from memzoo.strategy import Changes, strategy
from memzoo_topic import TopicMemory
for tidies in (False, True):
    @strategy
    class RarelyMemory(TopicMemory):
        name = "rarely"
        def due(self, state, waiting):
            asked.append(len(waiting))
            return len(waiting) >= 4
        def is_over_limit(self, state):
            return tidies and "tidy" not in state.items
        async def derive(self, state, entries, log):
            derived.append(len(entries))
            return await super().derive(state, entries, log) if entries else Changes({"tidy": True})
    asked, derived = [], []
    memory = RarelyMemory(llm="offline", learn_every=1)
    for name in ("Anna", "Bo"):
        memory.save_context({"input": f"{name} lives in Oslo."}, {"output": "Noted."})
    print(asked, derived, memory.messages()[0]["content"])

with open_store("shelf://top") as store:
    memory = create_memory("summary", llm="offline", store=store, learn_every=1)
    memory.save_context({"input": "Anna lives in Oslo."}, {"output": "Noted."})
    print(store, store.url, "Oslo" in memory.summary)
"""


def test_installed_packages_are_used_from_python(run: Run):
    """`create_memory` and `open_store` know an installed strategy by both names, and a store by its scheme.

    A strategy's options are checked; its own prompt is replaced by `prompts=` and counted by `usage`. Where nothing is
    due, `is_over_limit` is asked; if it says yes, `derive` is given no messages.
    """
    pinned = "PinnedMemory {'history': 'Human: Remember: Rex bites.'}"
    rarely = "Human said: Anna lives in Oslo. Bo lives in Oslo."
    done = run("-W", "error", "-c", SCRIPT)
    assert done.stdout.splitlines() == [
        *(pinned, pinned, "k must be a whole number of at least 0, not -1"),
        "Task: summary. 1 Anna and Oslo.",
        "Worum geht es? Human: Anna lives in Oslo. 1 Anna and Oslo.",
        "prompt 'topic': its template uses 'lines'; it may use 'new_lines', 'topic'",
        *(f"[2, 4] [4] {rarely}", f"[2, 2, 4] [0, 4] {rarely}"),
        "<ShelfStore> shelf://top True",
    ], done.stderr


def test_what_the_page_says_of_stores_and_commands():
    """The methods that it names are those of a store, and the module of its command is none of its modules' parts."""
    page = PAGE.read_text(encoding="utf-8")
    listed = page.partition("A store has six methods: ")[2].partition(" (")[0]
    assert re.findall("`([a-z_]+)`", listed) == [name for name in vars(Store) if not name.startswith("_")]
    assert "memzoo_shelf_command:app" in page


def test_all_keep_their_contracts(run: Run, tmp_path: Path):
    """The page's tests pass from the installed packages."""
    tests = [(name, text) for name, text in blocks("python") if name.startswith("test_")]
    assert [name for name, _ in tests] == ["test_mine.py", "test_shelf.py", "test_diary.py"]
    for name, text in tests:
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", *(name for name, _ in tests))
    assert done.returncode == 0, done.stdout[-2000:]
    assert " passed" in done.stdout


def test_a_broken_rule_shows_what_it_compared(run: Run, tmp_path: Path):
    """What a memory or a store of one's own gave instead stands in the failure; a misspelt method is no skipped one."""
    broken = (
        "import pytest\n"
        "from memzoo import ConversationBufferMemory, InMemoryStore\n"
        "from memzoo.testing import MemoryContract\n"
        "from memzoo.testing import StoreContract\n"
        "class Inventing(ConversationBufferMemory):\n"
        "    def history(self, *_, **__):\n"
        "        return ['never said']\n"
        "class Hiding(InMemoryStore):\n"
        "    async def conversations(self, **_):\n"
        "        return ['another one']\n"
        "class TestMemory(MemoryContract):\n"
        "    strategy = Inventing\n"
        "class TestStore(StoreContract):\n"
        "    @pytest.fixture\n"
        "    def store(self):\n"
        "        return Hiding()\n"
        "class Misspelling(InMemoryStore):\n"
        "    @property\n"
        "    def conversations(self):\n"
        "        raise AttributeError('it is called conversation_ids')\n"
        "class TestMisspelt(StoreContract):\n"
        "    @pytest.fixture\n"
        "    def store(self):\n"
        "        return Misspelling()\n"
    )
    (tmp_path / "test_broken.py").write_text(broken, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", encoding="utf-8")
    rules = "test_is_empty_at_first or test_cleared_is_gone"
    done = run("-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-k", rules)
    assert "3 failed" in done.stdout, done.stdout[-2000:]
    shown = [line for line in done.stdout.splitlines() if line.startswith("E ")]
    assert any("never said" in line for line in shown)
    assert any("another one" in line for line in shown)
    assert any("conversation_ids" in line for line in shown)


def test_commands_use_installed_packages(run: Run, tmp_path: Path):
    """Strategies are listed, compared by either name and talked to; forms of exports are listed and read.

    `memzoo chat` uses a store of six methods; where a command needs more of it, one line says what is missing.
    """
    lacks = {
        "chat --store shelf://top": "ShelfStore cannot list its conversations: name one with --conversation",
        "forget --thorough --store shelf://top": "'scrub', which ShelfStore lacks",
    }
    [written] = re.findall(r"^```json\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "bees.json").write_text(written, encoding="utf-8")
    (tmp_path / "in" / "kites.txt").write_text("= Diary =\n> I fly a kite.\nWhich one?\n", encoding="utf-8")
    commands = [
        "list",
        "compare --memory PinnedMemory --memory topic --out out",
        "compare --formats",
        f"import in --store sqlite:///{tmp_path}/new.db",
        "chat --memory pinned",
        "chat --store shelf://top --conversation anna",
    ]
    typed = "Remember that Rex bites.\n/memory\n/quit\nI like tea.\n"
    done = run("-c", IN_TURN, *commands, *lacks, typed=typed)
    listed, compared, forms, imported, talked, on_the_shelf, *refused = ran(done.stdout)
    lines = {line.split("\t")[0]: line.split("\t") for line in listed.output.splitlines()}
    shown = "what the user asked to remember, and the last `k` exchanges"
    assert lines["pinned"] == ["pinned", "PinnedMemory", shown, "", "nothing"]
    shown = "in a sentence what the conversation is about, and the last exchange"
    assert lines["topic"] == ["topic", "TopicMemory", shown, "1 call for 8 exchanges", "a model"]
    assert "of an installed package" in next(line for line in listed.output.splitlines() if line.startswith("shelf://"))

    assert compared.code == 0, compared.errors
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert [row["memory"]["name"] for row in results["rows"]] == ["none", "pinned", "topic", "everything"]
    assert "Diary 2.1, of 2026" in forms.output
    assert [line.split("\t")[:2] for line in imported.output.splitlines()] == [
        ["Bees", "2 read"],
        ["kites 1", "2 read"],
    ]

    assert talked.code == 0, talked.errors
    assert "PinnedMemory, model offline" in talked.output
    assert '"content": "Remember that Rex bites."' in talked.output
    assert "offline: Noted." in on_the_shelf.output, on_the_shelf
    for (code, _, errors), lacking in zip(refused, lacks.values(), strict=True):
        [line] = errors.splitlines()
        assert (code, line[:6], line[-len(lacking) :]) == (2, "error:", lacking)
