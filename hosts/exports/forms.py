"""The table of the forms that memzoo knows."""

import functools

from memzoo.hosts.exports import assistants, logs, people
from memzoo.hosts.exports.form import Form, having
from memzoo.hosts.exports.readers import chat_messages, columns, labels, openai_threads
from memzoo.hosts.exports.readers.sessions import read_sessions
from memzoo.plugins import load_plugin, make_plugin_error, plugins_by_name

__all__ = ["known_forms"]

_GROUP = "memzoo.exports"
"""The group of entry points with forms of other packages."""

_COMPARED = "`memzoo compare`, `play` and `load_transcripts` read it, with its questions"

_GENERAL = (
    Form(
        *("LoCoMo", "object", having("conversation", "qa"), _COMPARED),
        known="the list of objects with conversation and qa, of 2024",
        get="github.com/snap-research/locomo: data/locomo10.json.",
    ),
    Form(
        *("LongMemEval", "object", having("haystack_sessions", "question"), _COMPARED),
        known="longmemeval_s, _m and _oracle of 2024, of which the last has its sessions in any order",
        get="github.com/xiaowu0162/LongMemEval: the link to the data in its README.",
    ),
    Form(
        *("RealMem", "object", having("sessions.0.turns"), _COMPARED),
        known="objects with sessions of turns, of 2026",
        get="github.com/AvatarMemory/RealMemBench: the files of dialogues.",
    ),
    Form(
        *("StateBench", "object", having("events", "track"), _COMPARED),
        known="lines with events and track, of 2026",
        get="The JSON Lines of its releases.",
    ),
    Form(
        *("memzoo sessions", "object", having("sessions"), _COMPARED),
        known="this version: an object with sessions of messages",
        get="Write it yourself, or with `memzoo compare --write-questions FILE`.",
    ),
    Form(
        *("memzoo export", "object", having("memzoo")),
        read="`memzoo import` reads it; `memzoo history --json` prints the messages of a conversation",
        known="this version",
        get="`memzoo export`.",
    ),
    Form(
        *("OpenAI Assistants", "list", openai_threads.is_page, openai_threads.read),
        known="pages of threads.messages.list, which begin with the newest, of 2025",
        get="Save the pages that the API returns, as a list.",
    ),
    Form(
        *("chat messages of several conversations", "list", chat_messages.has_sessions, chat_messages.SESSIONS),
        known="such messages with a conversation_id, session_id, thread_id or chat_id each",
        get="Write the messages that your application stores.",
    ),
    Form(
        *("chat messages", "list", chat_messages.is_list, chat_messages.LIST),
        known="OpenAI's and Anthropic's API of 2026, LangChain 1.0, ShareGPT; dates as date, timestamp, created_at ...",
        get="Write what your application sends to the model.",
    ),
    Form(
        *("chat messages", "object", chat_messages.is_chat, chat_messages.read_object),
        known="an object with such messages; and with questions, for comparisons",
        get="Write what your application sends to the model.",
    ),
    Form(
        *("chats", "object", chat_messages.is_several, chat_messages.read_object),
        known="an object with one or several such lists as conversations, conversation, items or turns; ShareGPT, with "
        "the calls of LLaMA-Factory's form",
        get="Write what your application sends to the model.",
    ),
    Form(
        *("labelled text", "text", labels.has_labels, labels.read),
        known="You:, **ChatGPT:**, #### You:, You said:, ### USER; or two names, of which the first is the user",
        get="Copy a chat's page into a text file, or use a browser extension that writes Markdown.",
    ),
    Form(
        *("CSV", "table", columns.has_columns, columns.read),
        known="columns such as role and content, or question and answer; date and conversation if there are any",
        get="Save a spreadsheet as CSV, in UTF-8.",
    ),
    Form(
        *("OpenAI Agents' sessions, LangGraph's checkpoints", "database", bool, lambda path, _: read_sessions(path)),
        known="openai-agents 0.4, langgraph-checkpoint-sqlite 3",
        get="The SQLite file of your application.",
    ),
)


@functools.cache
def known_forms() -> tuple[Form, ...]:
    """Return all forms in the order of their tests: of packages, of applications, and the general ones last.

    Raises:
        PluginError: A package's form cannot be loaded.
    """
    added: list[Form] = []
    for plugin in plugins_by_name(_GROUP).values():
        form = load_plugin(plugin)
        if not isinstance(form, Form):
            raise make_plugin_error(plugin, f"is no Form: {form!r}")
        added.append(form)
    return (*added, *assistants.FORMS, *people.FORMS, *logs.FORMS, *_GENERAL)
