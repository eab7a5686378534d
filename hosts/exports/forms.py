"""The table of the forms that memzoo knows."""

import functools
import logging

from memzoo.errors import PluginError
from memzoo.hosts.exports import assistants, logs, people
from memzoo.hosts.exports.form import Form, having
from memzoo.hosts.exports.readers import chat_messages, columns, labels, openai_threads
from memzoo.hosts.exports.readers.sessions import read_sessions
from memzoo.plugins import load_plugin, make_plugin_error, plugins_by_name

logger = logging.getLogger("memzoo")

_GROUP = "memzoo.exports"
"""The group of entry points with forms of other packages."""

_COMPARED = "`memzoo compare`, `play` and `load_transcripts` read it, with its questions"

_GENERAL = (
    Form(
        name="LoCoMo",
        document="object",
        recognise=having("conversation", "qa"),
        read=_COMPARED,
        known="the list of 2024, of objects with conversation and qa",
        get="github.com/snap-research/locomo: data/locomo10.json.",
    ),
    Form(
        name="LongMemEval",
        document="object",
        recognise=having("haystack_sessions", "question"),
        read=_COMPARED,
        known="longmemeval_s, _m and _oracle of 2024; the sessions of the last are in no order",
        get="github.com/xiaowu0162/LongMemEval: the link to the data in its README.",
    ),
    Form(
        name="RealMem",
        document="object",
        recognise=having("sessions.0.turns"),
        read=_COMPARED,
        known="objects of 2026, with sessions of turns",
        get="github.com/AvatarMemory/RealMemBench: the dialogue files.",
    ),
    Form(
        name="StateBench",
        document="object",
        recognise=having("events", "track"),
        read=_COMPARED,
        known="lines of 2026, with events and track",
        get="The JSON Lines of its releases.",
    ),
    Form(
        name="memzoo sessions",
        document="object",
        recognise=having("sessions"),
        read=_COMPARED,
        known="this version: an object with sessions of messages",
        get="Write it yourself, or with `memzoo compare --write-questions FILE`.",
    ),
    Form(
        name="memzoo export",
        document="list",  # of its lines: the file gets one error
        recognise=having("memzoo"),
        read="`memzoo import` reads such files, one at a time; `memzoo export --as openai` writes the messages alone",
        known="this version",
        get="`memzoo export`.",
    ),
    Form(
        name="OpenAI Assistants",
        document="list",
        recognise=openai_threads.is_page,
        read=openai_threads.read,
        known="pages of threads.messages.list of 2025, newest message first",
        get="Save the pages that the API returns, as a list.",
    ),
    Form(
        name="chat messages of several conversations",
        document="list",
        recognise=chat_messages.has_sessions,
        read=chat_messages.SESSIONS,
        known="chat messages, each with a conversation_id, session_id, thread_id or chat_id",
        get="Write the messages that your application stores.",
    ),
    Form(
        name="chat messages",
        document="list",
        recognise=chat_messages.is_list,
        read=chat_messages.LIST,
        known="OpenAI's and Anthropic's API of 2026, LangChain 1.0, ShareGPT; dates as date, timestamp, created_at ...",
        get="Write what your application sends to the model.",
    ),
    Form(
        name="chat messages",
        document="object",
        recognise=chat_messages.is_chat,
        read=chat_messages.read_object,
        known="an object with such messages, and optionally with questions for comparisons",
        get="Write what your application sends to the model.",
    ),
    Form(
        name="chats",
        document="object",
        recognise=chat_messages.is_several,
        read=chat_messages.read_object,
        known="an object with one or several such lists at conversations, conversation, items or turns; ShareGPT, also "
        "with LLaMA-Factory's tool calls",
        get="Write what your application sends to the model.",
    ),
    Form(
        name="labelled text",
        document="text",
        recognise=labels.has_labels,
        read=labels.read,
        known="You:, **ChatGPT:**, #### You:, You said:, ### USER, also after a title; or two names, the first of "
        "which is the user",
        get="Copy a chat's page into a text file, or use a browser extension that writes Markdown.",
    ),
    Form(
        name="CSV",
        document="table",
        recognise=columns.has_columns,
        read=columns.read,
        known="columns such as role and content, question and answer, or instruction, input and output; "
        "optionally date and conversation",
        get="Save a spreadsheet as CSV, in UTF-8.",
    ),
    Form(
        name="OpenAI Agents' sessions, LangGraph's checkpoints",
        document="database",
        recognise=bool,
        read=lambda path, _: read_sessions(path),
        known="openai-agents 0.4, langgraph-checkpoint-sqlite 3",
        get="The SQLite file of your application.",
    ),
)


@functools.cache
def known_forms() -> tuple[Form, ...]:
    """Return all forms in the order in which they are tried.

    Forms of installed packages come first, general forms last. An unusable form is logged, and all others are tried.
    """
    added: list[Form] = []
    for plugin in plugins_by_name(_GROUP).values():
        try:
            form = load_plugin(plugin)
            if not isinstance(form, Form):
                raise make_plugin_error(plugin, f"is not a Form: {form!r}")
            added.append(form)
        except PluginError as error:
            logger.warning("not used: %s", error)
    return (*added, *assistants.FORMS, *people.FORMS, *logs.FORMS, *_GENERAL)
