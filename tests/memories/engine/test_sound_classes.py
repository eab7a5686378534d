"""Strategies of one's own that cannot work as they are written: each is refused with what would be right."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memzoo.errors import OptionError, PluginError
from memzoo.memories import STRATEGIES
from memzoo.memories.strategies.named import further_names, strategy_named
from memzoo.strategy import BaseMemory, Changes, Entry, Log, State, View

HEAD = "from dataclasses import field\nfrom memzoo.strategy import BaseMemory, Changes, View, strategy\n"
SOUND = '''
@strategy
class MyMemory(BaseMemory):
    """Shows the last exchanges."""

    name = "mine"
    k: int = 3

    async def view(self, log, state, query):
        return View.of(await log.exchanges(self.k))

    async def derive(self, state, entries, log):
        return Changes({"last": entries[-1].seq if entries else None})

    def due(self, state, waiting):
        return True

    async def oldest_needed(self, log, state):
        return 1

    async def on_state_change(self, changes, *, reset):
        return None
'''


def made(text: str) -> Any:
    """The class that a text defines."""
    names: dict[str, Any] = {}
    exec(HEAD + text, names)  # noqa: S102 - it is written as people write it
    return names["MyMemory"]


def said(memory: BaseMemory) -> None:
    """Save an exchange."""
    memory.save_context({"input": "hi"}, {"output": "hello"})


def test_a_sound_one_is_made() -> None:
    """Nothing is said against a strategy that has its hooks as they are to be."""
    memory = made(SOUND)(k=1)
    said(memory)
    assert memory.load_memory_variables({}) == {"history": "Human: hi\nAI: hello"}


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        (
            "    k: int =",
            '    memory_key = "chat"\n    k: int =',
            "MyMemory sets the option 'memory_key': write @strategy",
        ),
        ('    name = "mine"\n', "", 'write a `name` in the class, such as name = "pinned", not None'),
        ('"mine"', "7", 'write a `name` in the class, such as name = "pinned", not 7'),
        ("def view(", "def show(", "it lacks 'view'"),
    ],
)
def test_an_unsound_one_is_refused(right: str, wrong: str, told: str) -> None:
    """What is wrong with the class is told before a memory is made, again and again, with what would be right."""
    assert right in SOUND
    kind = made(SOUND.replace(right, wrong, 1))
    for _ in range(2):
        with pytest.raises(PluginError) as caught:
            kind()
        assert str(caught.value).startswith("the strategy MyMemory cannot be used: ")
        assert told in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("k = field(default=3)", "MyMemory cannot be a strategy: 'k' is a field but has no type annotation"),
        ("k: list = []", "mutable default <class 'list'> for field k is not allowed"),
    ],
)
def test_an_option_is_written_as_one(wrong: str, told: str) -> None:
    """An option without an annotation, or with a list for all, is refused when the class is made."""
    with pytest.raises(PluginError) as caught:
        made(SOUND.replace("k: int = 3", wrong))
    assert told in str(caught.value)
    assert "write options as `k: int = 3`" in str(caught.value)


def test_an_option_without_a_default_is_asked_for() -> None:
    """To leave it out is an error that names class and option."""
    kind = made(SOUND.replace("k: int = 3", "k: int"))
    assert kind(k=1).k == 1
    with pytest.raises(OptionError, match="MyMemory needs the option 'k', which has no default"):
        kind()


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("View.of(await log.exchanges(self.k))", "await log.exchanges(self.k)", "view must return a View"),
        (
            "return True",
            "return",
            "due must return True, False or a number of messages, not something of type NoneType",
        ),
        ('Changes({"last": entries[-1].seq if entries else None})', "{}", "derive must return Changes"),
        ("return 1", "return", "oldest_needed must return a log number, such as 1"),
        ("async def derive", "def derive", "derive must be a coroutine: write `async def derive`"),
        ("async def oldest_needed", "def oldest_needed", "oldest_needed must be a coroutine"),
    ],
)
def test_what_a_hook_returns_is_of_its_kind(right: str, wrong: str, told: str) -> None:
    """Something else, or a hook that is no coroutine, is an error that names the hook; what was said is stored."""
    assert right in SOUND
    memory = made(SOUND.replace(right, wrong))(keep_history=False)

    def use() -> None:
        said(memory)
        memory.load_memory_variables({})

    with pytest.raises(PluginError, match=f"MyMemory.{told}"):
        use()
    assert len(memory.history()) == 2


def test_helpers_and_decorators_are_ones_own() -> None:
    """Methods that merely sound like a hook, classes between, and hooks behind a decorator work."""

    def counted(hook: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(hook)
        def call(*given: Any) -> Any:
            return hook(*given)

        return call

    class Helped(BaseMemory):
        name = "helped"
        memory_key = "history"

        def derived(self) -> str:
            return "views"

        def _derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
            return Changes()

        @staticmethod
        def due(_: State, waiting: Sequence[Entry]) -> bool:  # type: ignore[override]
            return bool(waiting)

        @counted
        async def view(self, log: Log, state: State, query: str | None) -> View:
            return View.of(await log.exchanges(1), [self.derived()])

    memory = Helped()
    said(memory)
    assert memory.load_memory_variables({}) == {"history": "views\nHuman: hi\nAI: hello"}


@pytest.mark.parametrize("name", [*STRATEGIES, *further_names()])
def test_ours_are_sound(name: str) -> None:
    """Nothing is said against memzoo's own."""
    from memzoo.memories.engine.hooks import check_class

    check_class(strategy_named(name), BaseMemory)
