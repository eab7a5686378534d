"""What becomes of the names of LangChain's memory modules, and of their calls."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import libcst as cst

__all__ = [
    "ASKS_A_MODEL",
    "CHECKED",
    "DATABASES",
    "DROP_IN",
    "IN_CHAIN",
    "LACKING",
    "MEMORY_MODULES",
    "NO_PYTHON",
    "Finding",
    "Refusal",
    "counterpart",
    "database_of",
    "further",
    "instead_of_text",
    "is_chain",
    "is_named_in",
    "refusal_of",
    "why_left",
]

Refusal: TypeAlias = tuple[str, str]
"""Why something is left as it is, and what to write instead."""

DROP_IN = "memzoo.langchain"
"""The module that has the counterparts."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A place in a file where a name of LangChain's memory is used.

    Attributes:
        line: Its line, from 1.
        name: What is used.
        reason: Why it was left as it is; "" if it was rewritten.
        advice: What to write instead, or what else there is to do; "" for nothing.
    """

    line: int
    name: str
    reason: str = ""
    advice: str = ""


# Where the names were in one version or another; what follows a dot is theirs too.
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
# Packages that gave some of the names among many others.
_ROOTS = ("langchain", "langchain.chains", "langchain_classic.chains")

_SAME = (
    "CombinedMemory ConversationBufferMemory ConversationBufferWindowMemory ConversationChain ConversationEntityMemory "
    "ConversationKGMemory ConversationStringBufferMemory ConversationSummaryBufferMemory ConversationSummaryMemory "
    "ConversationTokenBufferMemory ENTITY_MEMORY_CONVERSATION_TEMPLATE InMemoryEntityStore KnowledgeTriple "
    "ReadOnlySharedMemory SimpleMemory VectorStoreRetrieverMemory"
)
_HISTORIES = "ChatMessageHistory InMemoryChatMessageHistory"
DATABASES = ("SQLChatMessageHistory", "PostgresChatMessageHistory")
"""Histories in a database that memzoo has a store for."""
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
"""The memories with prompts of their own, which are not LangChain's."""

# LangChain's chain takes our memories, so it is left, with the prompt that goes with it, unless all of LangChain goes.
_CHAIN = frozenset({"ConversationChain", "ENTITY_MEMORY_CONVERSATION_TEMPLATE"})
_OPTIONS_OF_CHAIN = frozenset(
    {"llm", "memory", "prompt", "input_key", "output_key", "verbose", "callbacks", "tags", "metadata"}
)
# What a Runnable of langchain-core has.
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
"""What the ConversationChain of memzoo.langchain has."""

NO_PYTHON: Refusal = "is no Python by itself and stays as it is", "put the line that is none into a cell of its own"
"""Of a notebook's cell."""

LACKING: Refusal = "is not in the one of memzoo.langchain", "write it otherwise, or leave --without-langchain out"
"""Of what a program asks of a chain, and only LangChain's has."""

CHECKED: Refusal = (
    "is not true of a memory of memzoo.langchain",
    "ask for BaseMemory, or whether it has what is used of it, such as hasattr(memory, 'chat_memory')",
)
"""Of what a program asks about a class of LangChain that no counterpart passes for."""

# Where the histories are that stay LangChain's.
_COMMUNITY = "langchain_community.chat_message_histories"
_AWAY = 'to leave it, store=open_store("sqlite:///memories.db"), conversation_id=... instead of chat_memory='
_SERVICE = ("is a service's own memory", "a memory of memzoo with store=open_store(...)")
_STORE_OF_NOTES = (
    "is where notes were kept; memzoo keeps them with the conversation",
    'ConversationEntityMemory(store=open_store("sqlite:///memories.db"), conversation_id=...)',
)
_BASE = ("is a base for memories of one's own", "a strategy of your own, see docs/extending.md")
_LEFT: Mapping[str, Refusal] = {
    "ConversationChain": (
        "stays LangChain's, which takes the memories of memzoo.langchain",
        "memzoo migrate --without-langchain rewrites it too; LangChain 1 has it in langchain_classic.chains alone",
    ),
    "ConversationVectorStoreTokenBufferMemory": (
        "has no counterpart of this name",
        'memzoo.CombinedMemory(memories=["token-buffer", "vector-retriever"])',
    ),
    "AgentTokenBufferMemory": ("cannot save an exchange in LangChain either", "memzoo.ConversationTokenBufferMemory"),
    "BaseChatMemory": _BASE,
    "BaseMemory": _BASE,
    "MotorheadMemory": _SERVICE,
    "ZepMemory": _SERVICE,
    "ZepCloudMemory": _SERVICE,
    "SQLiteEntityStore": _STORE_OF_NOTES,
    "RedisEntityStore": _STORE_OF_NOTES,
    "UpstashRedisEntityStore": _STORE_OF_NOTES,
    "NetworkxEntityGraph": ("is a graph of your own", "ConversationKGMemory(kg=graph) takes its facts over"),
}


# Who writes of LangChain's memory names a class of it, or imports everything from one of its packages.
_STAR = r"langchain[\w.\s\\]{0,200}import[\s\\]*\*"
_NAMES = re.compile("|".join(["ChatMessageHistory", *map(re.escape, [*_COUNTERPARTS, *_LEFT]), _STAR]).encode())


def is_named_in(content: bytes) -> bool:
    """Tell whether a file may use LangChain's memory; reading all of it as Python takes a thousand times as long.

    Example:
        >>> is_named_in(b"from langchain.memory import SimpleMemory"), is_named_in(b"import langchain")
        (True, False)
    """
    return b"langchain" in content and _NAMES.search(content) is not None


def counterpart(qualified: str) -> tuple[str, str] | None:
    """The name of a class of LangChain's memory, and with its module what takes its place ("" for nothing).

    Args:
        qualified: A name with its module, such as "langchain.memory.ConversationBufferMemory".

    Returns:
        `None` if it is no such class.
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
    """What to write instead of a text that names a class or a module of LangChain's memory; "" if it names none.

    Args:
        text: Such as "langchain.memory.ConversationBufferMemory.save_context".
        chains: Whether `ConversationChain` moves too.

    Example:
        >>> instead_of_text("langchain.memory.buffer.ConversationBufferMemory.clear", chains=False)
        "write 'memzoo.langchain.ConversationBufferMemory.clear' if that has moved"
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
            return f"write {'.'.join([target, *parts[end:]])!r} if that has moved"
    return f"write {DROP_IN!r} if what is looked up there has moved" if text in _MODULES_OF_CLASSES else ""


def why_left(name: str) -> Refusal:
    """Why a name is left, and what to write instead."""
    return _LEFT.get(name, ("stays as it is: a memory of memzoo.langchain takes it", _AWAY))


def is_chain(name: str) -> bool:
    """Whether a name is LangChain's chain, or a prompt that goes with it."""
    return name in _CHAIN


def further(name: str, *, opened: bool) -> str:
    """What else there is to do where a name was rewritten; "" for nothing.

    Args:
        name: The name.
        opened: Whether the module opens the store of that call once.
    """
    if name == "ConversationChain":
        return "without prompt= its prompt has memzoo's words; it is a Runnable, but no subclass of LangChain's Chain"
    if name in DATABASES:
        once = "" if opened else "open the store once if this is called often; "
        return (
            f"{once}old conversations are not read until you import them; do that once, before you start the new "
            "program: memzoo import --from langchain-sql URL --store URL"
        )
    return "" if name in _COUNTERPARTS else f"keeps its messages where they are; {_AWAY}"


def refusal_of(name: str, call: "cst.Call") -> Refusal | None:
    """What keeps a call of a class from being rewritten."""
    options = {argument.keyword.value for argument in call.args if argument.keyword}
    if name == "ConversationChain" and (unknown := sorted(options - _OPTIONS_OF_CHAIN)):
        return f"has the option {unknown[0]!r}, which only LangChain's has", "it takes a memory of memzoo.langchain"
    if name in DATABASES and database_of(call) is None:
        advice = "ChatMessageHistory(conversation_id=..., store=open_store(url))"
        return "does not show that it is given a session id and the URL of SQLite or PostgreSQL, and no more", advice
    return None


def database_of(call: "cst.Call") -> "tuple[cst.BaseExpression, cst.BaseExpression] | None":
    """The session id and the URL of a history in a database; `None` if it is given anything else."""
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
