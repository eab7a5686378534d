"""Reads prompts to Gemini, and the answers, from Google Takeout's list of activities."""

import re
from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.html import words_of
from memzoo.hosts.exports.members import as_list, date_at, need
from memzoo.hosts.messages import dict_of, dicts_of

_PROMPT = re.compile(r"(?:Prompted|Live Prompt|Asked|(?:Eingegebener )?Prompt\s*:|送信したメッセージ\s*[:\uff1a])\s+")


def is_page(head: str) -> bool:
    """Return whether a text is the HTML page of activities."""
    return "<html" in head and "My Activity" in head


def is_takeout(items: Any) -> bool:
    """Return whether items are activities with Gemini, in any language."""
    return all(isinstance(one, dict) and {"header", "title", "time"} <= one.keys() for one in items) and any(
        name in str(one["header"]) for one in items for name in ("Gemini", "Bard")
    )


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield all prompts with their answers as one conversation, oldest first."""
    said: list[tuple[Any, Any]] = []
    others, unanswered = 0, 0
    for number, item in reversed([*enumerate(dicts_of(document), start=1)]):
        place = f"message {number}"
        told = need(item, "title", place, str)
        answers = [need(one, "html", place, str) for one in dicts_of(item.get("safeHtmlItem"))]
        found = _PROMPT.match(told)
        if not found and not answers:
            others += 1
            continue
        date = date_at(item, "time", place)
        unanswered += not answers
        words = [{"type": "text", "text": told[found.end() if found else 0 :]}]
        files = [
            {"type": "file", "filename": str(dict_of(one).get("name") or one)}
            for one in (*as_list(item.get("attachedFiles")), *as_list(item.get("imageFile")))
        ]
        said.append(({"role": "user", "content": [*words, *files] if files else words[0]["text"]}, date))
        if answers:
            said.append(({"role": "assistant", "content": "\n".join(map(words_of, answers))}, date))
    notes = ["the export does not say which prompts belong together, so all are one conversation"]
    notes += [f"{count(others, 'activity', 'activities')} without a prompt left out"] if others else []
    notes += [f"{count(unanswered, 'prompt')} without an answer in the export"] if unanswered else []
    yield ChatLog.of(title, said, notes, sort=True)
