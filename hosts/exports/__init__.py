"""Reads the exports of chat applications.

A `Form` describes one kind of file: how to recognise it, and how to read it. The forms are listed in `assistants.py`,
`people.py` and `logs.py`. The reader of a form is either a table of JSON paths (`Fields`), or a
function in `readers/` that takes a document and a title, and yields conversations.
"""

from memzoo.hosts.exports.chat_log import ChatLog, Unread
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.form import Form, having
from memzoo.hosts.exports.messages import messages_of
from memzoo.hosts.exports.talks import Talk

__all__ = [
    "ChatLog",
    "Fields",
    "Form",
    "Talk",
    "Unread",
    "having",
    "messages_of",
]
