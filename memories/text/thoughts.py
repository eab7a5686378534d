"""Separates a model's thoughts from its words, in the text of an assistant's message."""

import re
from typing import Any

from memzoo.stores import Message

THOUGHT_FIELDS = ("reasoning_content", "reasoning", "thoughts")
"""The members of messages that hold thoughts as text: two that endpoints use, and a third if these are taken."""

THOUGHT_PARTS = frozenset({"thinking", "redacted_thinking", "reasoning"})
"""The types of the parts of a content that are thoughts."""

# The opening and the closing mark of thoughts, as models and chat templates write them.
_MARKS = (
    (r"<(?P<tag>think|thinking|thoughts?|reasoning|scratchpad|seed:think|mm:think)\b[^<>\n]{0,99}>", "</{tag}>"),
    (r"\[THINK\]", r"\[/THINK\]"),
    (r"◁think▷", r"◁/think▷"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    (r"<\|channel\|>analysis<\|message\|>", r"(?:<\|end\|><\|start\|>assistant)?<\|channel\|>final<\|message\|>"),
)
_QUOTES = "[`\"'“”]"
# A closing mark between quotes is only mentioned. More than three spaces before an opening mark are Markdown for code.
_PAIRS = [
    (re.compile(opening, re.IGNORECASE), rf"(?:(?<!{_QUOTES}){closing}|{closing}(?!{_QUOTES}))")
    for opening, closing in _MARKS
]
_GAP = re.compile(r"\s*")
_INDENTS = ("\t", "    ")
_FIRST = ("<", "[", "◁")
_LAST = re.compile(r"[>\]▷\n]")
# The most characters of an opening and of a closing mark.
_LONGEST = 120


def extract_thoughts(text: str) -> tuple[str, str]:
    r"""Return the thoughts at the beginning of an assistant's text, and the words after them.

    A mark counts as part of the words if its counterpart is missing (`<think>` without `</think>`), if it is in a
    quotation or code, or if it comes after the first word.

    Example:
        >>> extract_thoughts("<think>\nWho is she?\n</think>\n\nAnna lives in Oslo.")
        ('Who is she?', 'Anna lives in Oslo.')
        >>> extract_thoughts("`<think>` begins a thought, `</think>` ends it.")
        ('', '`<think>` begins a thought, `</think>` ends it.')
    """
    thoughts, place = list[str](), 0
    while (opened := _match_opening(text, place)) and (ended := opened[1].search(text, opened[0])):
        thoughts.append(text[opened[0] : ended.start()].strip())
        place = ended.end()
    return "\n\n".join(filter(None, thoughts)), text[place:].lstrip() if place else text


def set_thoughts_apart(message: Message) -> Message:
    """Return an assistant's message with its thoughts in a separate member. Other messages are returned unchanged.

    The log keeps the thoughts, but no other model sees them, and no strategy learns from them.
    """
    if message["role"] != "assistant":
        return message
    content: Any = message.get("content")
    text = content if isinstance(content, str) else _first_text(content)
    if not text.lstrip().startswith(_FIRST):
        return message
    thoughts, words = extract_thoughts(text)
    if words == text:
        return message
    content = words if isinstance(content, str) else [content[0] | {"text": words}, *content[1:]]
    return message | {"content": content} | name_thoughts(message, thoughts)


def name_thoughts(message: Message, thoughts: str) -> Message:
    """Return the thoughts as a dict to merge into the message; an empty dict if there are no thoughts.

    The dict's only key is the first in `THOUGHT_FIELDS` that the message does not use yet.
    """
    if not thoughts:
        return {}
    name = next((name for name in THOUGHT_FIELDS if not message.get(name)), THOUGHT_FIELDS[-1])
    return {name: "\n\n".join(map(str, filter(None, (message.get(name), thoughts))))}


def _first_text(content: Any) -> str:
    if isinstance(content, list) and content:
        first: Any = content[0]
        content = first.get("text") if first["type"] == "text" else ""
    return content if isinstance(content, str) else ""


def _match_opening(text: str, place: int = 0) -> tuple[int, re.Pattern[str]] | None:
    """Return the end of the opening mark at a place, and the pattern of its closing mark."""
    gap = _GAP.match(text, place)
    begins = gap.end() if gap else place
    indent = text[max(place, text.rfind("\n", place, begins) + 1) : begins]
    if not text.startswith(_FIRST, begins) or any(one in indent for one in _INDENTS):
        return None
    for opening, closing in _PAIRS:
        if begun := opening.match(text, begins):
            return begun.end(), re.compile(closing.format(**begun.groupdict()), re.IGNORECASE)
    return None


def as_counted(message: Message) -> Message:
    """Return a message with its thoughts added to the content, so that their tokens are counted."""
    details: Any = message.get("reasoning_details")
    told = [str(one.get("text") or one.get("summary") or "") for one in details] if isinstance(details, list) else []
    items: list[dict[str, Any]] = message.get("response_items") or []
    for item in items:
        encrypted, content = item.get("encrypted_content") or "", item.get("content") or []
        # Only the server that stored it has a thought with neither: the answer goes back without thoughts.
        if item["type"] == "reasoning" and (encrypted or content):
            told += [str(part.get("text") or "") for part in (*content, *item.get("summary", ()))]
            # Sixteen characters in base64 are twelve bytes: about three words of a thought.
            told.append(" word" * (len(encrypted) * 3 // 16))
    if not any(told):
        told = [str(message.get(name) or "") for name in THOUGHT_FIELDS]
    if not any(told):
        return message
    parts: Any = message.get("content") or ""
    parts = [{"type": "text", "text": parts}] if isinstance(parts, str) else parts
    return message | {"content": [*({"type": "text", "text": text} for text in told if text), *parts]}


class Speech:
    r"""Collects the pieces of an answer, and holds back thoughts at its beginning.

    Example:
        >>> speech = Speech()
        >>> [speech.add(piece) for piece in ("<thi", "nk>Hm.</thi", "nk>", "\n\nIt is", " 7.")]
        ['', '', '', 'It is', ' 7.']
    """

    def __init__(self) -> None:
        self._held = ""
        self._closing: re.Pattern[str] | None = None
        self._begun = self._thought = False

    def add(self, piece: str) -> str:
        """Add a piece, and return the words that are ready to show."""
        if self._begun:
            return piece
        searched, self._held = len(self._held), self._held + piece
        while True:
            if self._closing:
                ended = self._closing.search(self._held, max(0, searched - _LONGEST))
                # A quote may still follow the mark, which would then only be mentioned.
                if ended is None or ended.end() == len(self._held):
                    return ""
                self._held, self._closing, self._thought = self._held[ended.end() :], None, True
            if (opened := _match_opening(self._held)) is None:
                return self.end() if self._held.strip() and not _may_open(self._held) else ""
            searched, self._closing = opened

    def end(self) -> str:
        """Return the last words, which were held back in case they belonged to thoughts."""
        said = extract_thoughts(self._held)[1]
        opened = _match_opening(said)
        # Thoughts without an end begin with a mark that is alone on its line; within a line, the mark is a word.
        is_thought = opened is not None and said[opened[0] : opened[0] + 1] in {"", "\n"}
        self._held, self._begun = "", True
        return "" if is_thought else said.lstrip() if self._thought else said


def _may_open(text: str) -> bool:
    begun = text.lstrip()
    return begun.startswith(_FIRST) and len(begun) < _LONGEST and not _LAST.search(begun)
