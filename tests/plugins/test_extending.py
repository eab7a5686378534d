"""What docs/extending.md promises, with its packages installed."""

import json
import re
from pathlib import Path

from memzoo.stores import Store
from tests.in_turn import IN_TURN, ran
from tests.plugins.conftest import PAGE, Run, blocks


def test_a_strategy_has_two_names(run: Run):
    """`create_memory` knows an installed strategy by short name and class name, and checks its options."""
    script = (
        "from memzoo import create_memory\n"
        "from memzoo.errors import OptionError\n"
        "for name in ('pinned', 'PinnedMemory'):\n"
        "    memory = create_memory(name, k=0)\n"
        "    memory.save_context({'input': 'Remember: Rex bites.'}, {'output': 'ok'})\n"
        "    memory.save_context({'input': 'Hi'}, {'output': 'Hello'})\n"
        "    print(type(memory).__name__, memory.load_memory_variables({}))\n"
        "try:\n"
        "    create_memory('pinned', k=-1)\n"
        "except OptionError as error:\n"
        "    print(error)\n"
    )
    shown = "PinnedMemory {'history': 'Human: Remember: Rex bites.'}"
    done = run("-W", "error", "-c", script)
    assert done.stdout.splitlines() == [shown, shown, "k must be a whole number of at least 0, not -1"], done.stderr


def test_a_strategy_is_listed(run: Run):
    """`memzoo list` has a line for it: what it shows, costs and needs."""
    listed = {line.split("\t")[0]: line.split("\t") for line in run("-m", "memzoo", "list").stdout.splitlines()}
    pinned, topic = listed["pinned"], listed["topic"]
    shown = "what the user asked to remember, and the last `k` exchanges"
    assert pinned == ["pinned", "PinnedMemory", shown, "", "nothing"]
    shown = "in a sentence what the conversation is about, and the last exchange"
    assert topic == ["topic", "TopicMemory", shown, "1 call a save", "a model"]


def test_a_strategy_asks_with_its_own_prompt(run: Run):
    """The second strategy of the page learns by its own prompt, which `prompts=` replaces and `usage` counts."""
    script = (
        "from memzoo import create_memory\n"
        "from memzoo.errors import PromptError\n"
        "asked = []\n"
        "def model(messages):\n"
        "    asked.append(messages[0]['content'])\n"
        "    return 'Topic: Anna and Oslo.'\n"
        "for prompts in (None, {'topic': 'Worum geht es? {{ new_lines }}'}):\n"
        "    memory = create_memory('topic', llm=model, prompts=prompts)\n"
        "    memory.save_context({'input': 'Anna lives in Oslo.'}, {'output': 'Noted.'})\n"
        "    print(asked[-1].splitlines()[0], memory.usage['topic'].calls, memory.messages()[0]['content'])\n"
        "try:\n"
        "    create_memory('topic', llm=model, prompts={'topic': '{{ lines }}'})\n"
        "except PromptError as error:\n"
        "    print(error)\n"
    )
    done = run("-W", "error", "-c", script)
    assert done.stdout.splitlines() == [
        "Task: summary. 1 Anna and Oslo.",
        "Worum geht es? Human: Anna lives in Oslo. 1 Anna and Oslo.",
        "prompt 'topic': its template uses 'lines'; it may use 'new_lines', 'topic'",
    ], done.stderr


def test_derive_is_called_without_messages_where_the_state_is_over_its_limit(run: Run):
    """Where nothing is due, `is_over_limit` is asked; if it says yes, `derive` is given no messages."""
    script = (
        "from memzoo.strategy import Changes, strategy\n"
        "from memzoo_topic import TopicMemory\n"
        "for tidies in (False, True):\n"
        "    @strategy\n"
        "    class RarelyMemory(TopicMemory):\n"
        "        name = 'rarely'\n"
        "        def due(self, state, waiting):\n"
        "            asked.append(len(waiting))\n"
        "            return len(waiting) >= 4\n"
        "        def is_over_limit(self, state):\n"
        "            return tidies and 'tidy' not in state.items\n"
        "        async def derive(self, state, entries, log):\n"
        "            derived.append(len(entries))\n"
        "            return await super().derive(state, entries, log) if entries else Changes({'tidy': True})\n"
        "    asked, derived = [], []\n"
        "    memory = RarelyMemory(llm='offline')\n"
        "    for name in ('Anna', 'Bo'):\n"
        "        memory.save_context({'input': f'{name} lives in Oslo.'}, {'output': 'Noted.'})\n"
        "    print(asked, derived, memory.messages()[0]['content'])\n"
    )
    done = run("-W", "error", "-c", script)
    shown = "Human said: Anna lives in Oslo. Bo lives in Oslo."
    assert done.stdout.splitlines() == [f"[2, 4] [4] {shown}", f"[2, 2, 4] [0, 4] {shown}"], done.stderr


def test_what_the_page_says_of_stores_and_commands():
    """The methods that it names are those of a store, and the module of its command is none of its modules' parts."""
    page = PAGE.read_text(encoding="utf-8")
    listed = page.partition("A store has six methods: ")[2].partition(" (")[0]
    assert re.findall("`([a-z_]+)`", listed) == [name for name in vars(Store) if not name.startswith("_")]
    assert "memzoo_shelf_command:app" in page


def test_a_strategy_is_compared(run: Run, tmp_path: Path):
    """`memzoo compare` has a row for it, by either name, and the offline model answers what it asks."""
    done = run("-m", "memzoo", "compare", "--memory", "PinnedMemory", "--memory", "topic", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert [row["memory"]["name"] for row in results["rows"]] == ["none", "pinned", "topic", "everything"]


def test_a_strategy_can_be_talked_to(run: Run):
    """`memzoo chat` uses it."""
    done = run("-m", "memzoo", "chat", "--memory", "pinned", typed="Remember that Rex bites.\n/memory\n/quit\n")
    assert done.returncode == 0, done.stderr
    assert "PinnedMemory, model offline" in done.stdout
    assert '"content": "Remember that Rex bites."' in done.stdout


def test_a_store_opens_by_its_scheme(run: Run):
    """`open_store` calls the entry point of the scheme, and a memory learns in that store."""
    script = (
        "from memzoo import create_memory, open_store\n"
        "with open_store('shelf://top') as store:\n"
        "    memory = create_memory('summary', llm='offline', store=store)\n"
        "    memory.save_context({'input': 'Anna lives in Oslo.'}, {'output': 'Noted.'})\n"
        "    print(store, store.url, 'Oslo' in memory.summary)\n"
    )
    done = run("-W", "error", "-c", script)
    assert done.stdout.split() == ["<ShelfStore>", "shelf://top", "True"], done.stderr


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
    """What a memory or a store of one's own gave instead stands in the failure."""
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
    )
    (tmp_path / "test_broken.py").write_text(broken, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", encoding="utf-8")
    rules = "test_is_empty_at_first or test_cleared_is_gone"
    done = run("-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-k", rules)
    assert "2 failed" in done.stdout, done.stdout[-2000:]
    shown = [line for line in done.stdout.splitlines() if line.startswith("E ")]
    assert any("never said" in line for line in shown)
    assert any("another one" in line for line in shown)


def test_commands_take_a_store_of_six_methods(run: Run):
    """`memzoo chat` uses it; where a command needs more of a store than it has, one line says what is missing."""
    lacks = {
        "chat --store shelf://top": "ShelfStore cannot list its conversations: name one with --conversation",
        "forget --thorough --store shelf://top": "'scrub', which ShelfStore lacks",
    }
    commands = ["chat --store shelf://top --conversation anna", "list", *lacks]
    done = run("-c", IN_TURN, *commands, typed="I like tea.\n")
    talked, listed, *refused = ran(done.stdout)
    assert "offline: Noted." in talked.output, done.stderr
    [kind] = [line for line in listed.output.splitlines() if line.startswith("shelf://")]
    assert "of an installed package" in kind
    for (code, _, errors), lacking in zip(refused, lacks.values(), strict=True):
        [line] = errors.splitlines()
        assert (code, line[:6], line[-len(lacking) :]) == (2, "error:", lacking)


def test_a_form_of_an_export_is_read(run: Run, tmp_path: Path):
    """`memzoo compare` lists the page's forms, and `memzoo import` reads a file of each."""
    [written] = re.findall(r"^```json\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "bees.json").write_text(written, encoding="utf-8")
    (tmp_path / "kites.txt").write_text("= Diary =\n> I fly a kite.\nWhich one?\n", encoding="utf-8")
    assert "Diary 2.1, of 2026" in run("-m", "memzoo", "compare", "--list").stdout
    done = run("-m", "memzoo", "import", str(tmp_path), "--store", f"sqlite:///{tmp_path}/new.db")
    assert [line.split("\t")[:2] for line in done.stdout.splitlines()] == [["Bees", "2 read"], ["kites 1", "2 read"]]
