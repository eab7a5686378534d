"""The table of the forms that memzoo knows."""

import functools

from memzoo.hosts.exports import assistants, logs, people
from memzoo.hosts.exports.form import Form
from memzoo.hosts.exports.readers import chat_messages
from memzoo.plugins import load_plugin, make_plugin_error, plugins_by_name

__all__ = ["known_forms"]

_GROUP = "memzoo.exports"
"""The group of entry points with forms of other packages."""

_GENERAL = (
    Form(
        name="chat messages",
        document="list",
        recognise=chat_messages.is_list,
        read=chat_messages.read_list,
        known="OpenAI's and Anthropic's API of 2026, LangChain 1.0, ShareGPT; dates as date, timestamp, created_at ...",
        get="Write what your application sends to the model.",
    ),
    Form(
        name="chat messages",
        document="object",
        recognise=chat_messages.is_object,
        read=chat_messages.read_object,
        known="an object with the same as messages, conversations, conversation, items or turns",
        get="As above.",
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
