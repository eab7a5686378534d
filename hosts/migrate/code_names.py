"""The replacements in memzoo for the names in LangChain's memory modules, and the rules for rewriting calls."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import libcst as cst

Refusal: TypeAlias = tuple[str, str]
"""A pair: the reason why a use of a name is not rewritten, and the code to write instead."""

DROP_IN = "memzoo.langchain"
"""The memzoo module with the counterparts of LangChain's classes."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A place in a file that uses a name from LangChain's memory modules.

    Attributes:
        reason: The reason why the use is not rewritten; "" if it is rewritten.
        advice: The code to write instead, or further steps; "" for none.
    """

    line: int
    name: str
    reason: str = ""
    advice: str = ""


# LangChain's memory modules in various versions; submodules are included.
MEMORY_MODULES = (
    "langchain.memory",
    "langchain_classic.memory",
    "langchain_community.memory",
    "langchain.chains.conversation",
    "langchain_classic.chains.conversation",
    "langchain_community.chat_message_histories",
    "langchain_core.chat_history",
    "langchain_community.graphs",
    "langchain.graphs",
    "langchain_core.memory",
    "langchain.schema",
    "langchain_classic.base_memory",
)
_MODULES_OF_CLASSES = MEMORY_MODULES[:3]
_DOTTED = re.compile(r"langchain\w*(\.\w+)+")
# Packages with some names of LangChain's memory among many other names.
_ROOTS = ("langchain", "langchain.chains", "langchain_classic.chains")

_SAME = (
    "CombinedMemory ConversationBufferMemory ConversationBufferWindowMemory ConversationChain ConversationEntityMemory "
    "ConversationKGMemory ConversationStringBufferMemory ConversationSummaryBufferMemory ConversationSummaryMemory "
    "ConversationTokenBufferMemory ENTITY_MEMORY_CONVERSATION_TEMPLATE InMemoryEntityStore KnowledgeTriple "
    "ReadOnlySharedMemory SimpleMemory VectorStoreRetrieverMemory"
)
_HISTORIES = "ChatMessageHistory InMemoryChatMessageHistory"
DATABASES = ("SQLChatMessageHistory", "PostgresChatMessageHistory")
"""LangChain's histories in databases that memzoo's stores can use too."""
_COUNTERPARTS: Mapping[str, str] = (
    {name: name for name in _SAME.split()}
    | dict.fromkeys(_HISTORIES.split(), "ChatMessageHistory")
    | dict.fromkeys(DATABASES, "ChatMessageHistory")
)

ASKS_A_MODEL = frozenset(
    {
        "ConversationEntityMemory",
        "ConversationKGMemory",
        "ConversationSummaryBufferMemory",
        "ConversationSummaryMemory",
    }
)
"""The memories that ask a model; memzoo's prompts differ from LangChain's."""

# LangChain's chain works with memzoo's memories, so the chain and its prompt are rewritten only on request.
_CHAIN = frozenset({"ConversationChain", "ENTITY_MEMORY_CONVERSATION_TEMPLATE"})
_OPTIONS_OF_CHAIN = frozenset(
    {"llm", "memory", "prompt", "input_key", "output_key", "verbose", "callbacks", "tags", "metadata"}
)
# The attributes of langchain-core's Runnable.
_RUNNABLE = """
    InputType OutputType abatch abatch_as_completed ainvoke as_tool assign astream astream_events astream_log atransform
    batch batch_as_completed bind config_schema config_specs get_config_jsonschema get_graph get_input_jsonschema
    get_input_schema get_name get_output_jsonschema get_output_schema get_prompts input_schema invoke map name
    output_schema pick pipe stream stream_events transform with_alisteners with_config with_fallbacks with_listeners
    with_retry with_types
"""
IN_CHAIN = _OPTIONS_OF_CHAIN.union(
    "acall apredict arun input_keys output_keys predict request run".split(), _RUNNABLE.split()
)
"""The attributes of memzoo.langchain's ConversationChain."""

CELL_NOT_PYTHON: Refusal = "is not Python alone, and stays as it is", "move the line that is not Python to its own cell"
"""The reason and advice for a notebook's cell that is not Python."""

LACKING: Refusal = "is missing in memzoo.langchain's", "write it differently, or leave --without-langchain out"
"""The reason and advice for an attribute that only LangChain's chain has."""

CHECKED: Refusal = (
    "is false for a memory of memzoo.langchain",
    "check for BaseMemory, or for the attribute that is used, such as hasattr(memory, 'chat_memory')",
)
"""The reason and advice for a type check against a LangChain class that memzoo's classes do not count as."""

# LangChain's module of histories without a counterpart.
_COMMUNITY = "langchain_community.chat_message_histories"
_AWAY = 'to leave it, store=open_store("sqlite:///memories.db"), conversation_id=... instead of chat_memory='
_SERVICE = ("keeps its memory at a service", "a memory of memzoo with store=open_store(...)")
_STORE_OF_NOTES = (
    "stored the notes; memzoo stores them with the conversation",
    'ConversationEntityMemory(store=open_store("sqlite:///memories.db"), conversation_id=...)',
)
_BASE = ("is a base class for your own memories", "a strategy of your own, see docs/extending.md")
_LEFT: Mapping[str, Refusal] = {
    "ConversationChain": (
        "stays LangChain's, which accepts the memories of memzoo.langchain",
        "memzoo migrate --without-langchain rewrites it too; LangChain 1 has it only in langchain_classic.chains",
    ),
    "ConversationVectorStoreTokenBufferMemory": (
        "has no counterpart of this name",
        'memzoo.CombinedMemory(memories=["token-window", "vector-retriever"])',
    ),
    "AgentTokenBufferMemory": ("cannot save an exchange in LangChain either", "memzoo.TokenWindowMemory"),
    "BaseChatMemory": _BASE,
    "BaseMemory": _BASE,
    "MotorheadMemory": _SERVICE,
    "ZepMemory": _SERVICE,
    "ZepCloudMemory": _SERVICE,
    "SQLiteEntityStore": _STORE_OF_NOTES,
    "RedisEntityStore": _STORE_OF_NOTES,
    "UpstashRedisEntityStore": _STORE_OF_NOTES,
    "NetworkxEntityGraph": ("is a graph of your own", "ConversationKGMemory(kg=graph) takes over its facts"),
}


# A file that uses LangChain's memory contains the name of a memory class, or a star import from a package.
_STAR = r"langchain[\w.\s\\]{0,200}import[\s\\]*\*"
_NAMES = re.compile("|".join(["ChatMessageHistory", *map(re.escape, [*_COUNTERPARTS, *_LEFT]), _STAR]).encode())


def mentions_langchain_memory(content: bytes) -> bool:
    """Return whether a file might use LangChain's memory modules. This check is much faster than parsing the file.

    Example:
        >>> mentions_langchain_memory(b"from langchain.memory import SimpleMemory")
        True
        >>> mentions_langchain_memory(b"import langchain")
        False
    """
    return b"langchain" in content and _NAMES.search(content) is not None


def counterpart(qualified: str) -> tuple[str, str] | None:
    """Return the replacement for a LangChain memory class.

    Args:
        qualified: A name with its module, such as "langchain.memory.ConversationBufferMemory".

    Returns:
        A pair: the class name without its module, and the replacement's name with its module ("" if the class has no
        replacement). `None` if `qualified` does not name a LangChain memory class.
    """
    module, _, name = qualified.rpartition(".")
    if module in _ROOTS:
        return (name, f"{DROP_IN}.{name}") if name == "ConversationChain" else None
    if name == "BaseChatMessageHistory" or not any(f"{module}.".startswith(f"{known}.") for known in MEMORY_MODULES):
        return None
    if name in _COUNTERPARTS:
        return name, f"{DROP_IN}.{_COUNTERPARTS[name]}"
    if name.endswith("ChatMessageHistory"):
        return name, "" if module.startswith(_COMMUNITY) else f"{_COMMUNITY}.{name}"
    return (name, "") if name in _LEFT else None


def instead_of_text(text: str, *, chains: bool) -> str:
    """Return advice for a string literal that names a LangChain memory class or module; "" for other strings.

    Tests use such strings to name the class or method that they mock. Such a string should change
    only if the mocked code now uses memzoo.

    Args:
        text: A text such as "langchain.memory.ConversationBufferMemory.save_context".
        chains: True if `ConversationChain` is rewritten too.

    Example:
        >>> instead_of_text("langchain.memory.buffer.ConversationBufferMemory.clear", chains=False)
        "write 'memzoo.langchain.ConversationBufferMemory.clear' if the code under test now uses it"
    """
    if not _DOTTED.fullmatch(text):
        return ""
    parts = text.split(".")
    for end in range(len(parts), 1, -1):
        if found := counterpart(".".join(parts[:end])):
            name, target = found
            if is_chain(name) and not chains:
                return ""
            if not target.startswith(DROP_IN):
                return _LEFT[name][1] if name in _LEFT else ""
            return f"write {'.'.join([target, *parts[end:]])!r} if the code under test now uses it"
    return f"write {DROP_IN!r} if the names looked up there have moved" if text in _MODULES_OF_CLASSES else ""


def why_left(name: str) -> Refusal:
    """Return the reason why a name is not rewritten, with the code to write instead."""
    return _LEFT.get(name, ("stays as it is, because a memory of memzoo.langchain accepts it", _AWAY))


def is_chain(name: str) -> bool:
    """Return whether a name is LangChain's `ConversationChain` or one of its prompts."""
    return name in _CHAIN


def further(name: str, *, opened: bool, prompted: bool) -> str:
    """Return the steps left to do by hand after a name has been rewritten; "" for none.

    `opened` is true if the new code opens the store once, at the beginning of the module. `prompted` is true if the
    call passes a prompt.
    """
    if name == "ConversationChain":
        prompt = "" if prompted else "its default prompt is in memzoo's words; "
        return f"{prompt}it is a Runnable, but not a subclass of LangChain's Chain"
    if name in DATABASES:
        once = "" if opened else "open the store once if this is called often; "
        return (
            f"{once}old conversations are not read until you import them; do that once, before you start the new "
            "program: memzoo import --from langchain-sql URL --store URL"
        )
    return "" if name in _COUNTERPARTS else f"keeps its messages where they are; {_AWAY}"


def refusal_of(name: str, call: "cst.Call") -> Refusal | None:
    """If a call of a class cannot be rewritten, return the reason and advice; otherwise `None`."""
    options = {argument.keyword.value for argument in call.args if argument.keyword}
    if name == "ConversationChain" and (unknown := sorted(options - _OPTIONS_OF_CHAIN)):
        return (
            f"has the option {unknown[0]!r}, which only LangChain's has",
            "LangChain's accepts a memory of memzoo.langchain",
        )
    if name in DATABASES and database_of(call) is None:
        advice = "ChatMessageHistory(conversation_id=..., store=open_store(url))"
        return "is rewritten only with a session id, a URL of SQLite or PostgreSQL, and no other argument", advice
    return None


def database_of(call: "cst.Call") -> "tuple[cst.BaseExpression, cst.BaseExpression] | None":
    """Return the session id and the URL in a call that creates a history in a database; `None` for other calls."""
    import libcst as cst

    given = {
        argument.star or (argument.keyword.value if argument.keyword else str(place)): argument.value
        for place, argument in enumerate(call.args)
    }
    session = given.pop("session_id", None) or given.pop("0", None)
    url = given.pop("connection_string", None) or given.pop("1", None)
    if isinstance(given.get("connection"), (cst.SimpleString, cst.FormattedString)):
        url = given.pop("connection")
    known = not isinstance(url, cst.SimpleString) or str(url.evaluated_value).startswith(("sqlite:", "postgresql:"))
    return None if session is None or url is None or given or not known else (session, url)
