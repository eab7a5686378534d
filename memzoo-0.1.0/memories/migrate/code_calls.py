"""What a call of one of LangChain's memory classes says."""

from typing import TypeAlias

import libcst as cst

from memzoo.memories.migrate.code_names import DATABASES, OPTIONS_OF_CHAIN

__all__ = ["Refusal", "database_of", "refusal_of"]

Refusal: TypeAlias = tuple[str, str]
"""Why something is left as it is, and what to write instead."""


def refusal_of(name: str, call: cst.Call) -> Refusal | None:
    """What keeps a call of a class from being rewritten."""
    options = {argument.keyword.value for argument in call.args if argument.keyword}
    if name == "ConversationChain" and (unknown := sorted(options - OPTIONS_OF_CHAIN)):
        return f"has the option {unknown[0]!r}, which only LangChain's has", "it takes a memory of memzoo.langchain"
    if name in DATABASES and database_of(call) is None:
        advice = "ChatMessageHistory(conversation_id=..., store=open_store(url))"
        return "does not show that it is given a session id and the URL of SQLite or PostgreSQL, and no more", advice
    return None


def database_of(call: cst.Call) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """The session id and the URL of a history in a database; `None` if it is given anything else."""
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
