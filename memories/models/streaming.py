"""Joins the pieces of a streamed answer, including fields that only some providers send."""

import json
from typing import Any

from memzoo.memories.text.thoughts import Speech

# A text of these members is a piece of what was said; any other text is a name or a signature, which comes whole. The
# client's own code joins all texts of a member, and refuses lists whose entries have no index.
_JOINED = frozenset(
    {"reasoning_content", "reasoning", "reasoning_text", "thinking", "text", "summary", "content", "data", "transcript"}
    | {"refusal"}
)
_SAME = ("type", "index")
_TEXTS = frozenset({"text", "summary", "thinking"})
# With fewer characters, a piece may begin with the text so far by chance.
_LEAST_REPEATED = 16

_TEXT = "response.output_text.delta"
_PIECES = (_TEXT, "response.refusal.delta")
_ENDS = ("response.completed", "response.incomplete", "response.failed")


class StreamedResponse:
    """Collects the events of an answer by the Responses API.

    Attributes:
        completion: The whole response; `None` before its end.
    """

    def __init__(self) -> None:
        self.completion: Any = None
        self._speech, self._items = Speech(), list[Any]()
        self._part: Any = None

    def add(self, event: Any) -> str:
        """Add an event, and return the words that are ready to show.

        Thoughts at the beginning of the text are left out.
        """
        if event.type in _PIECES and event.delta:
            before = self._part
            if event.type == _TEXT:
                self._part = getattr(event, "output_index", 0), getattr(event, "content_index", 0)
            # `read_items` puts an empty line between texts, too.
            gap = "" if before in (None, self._part) else "\n\n"
            return self._speech.add(gap + event.delta)
        if event.type == "response.output_item.done":
            self._items.append(event.item)
        elif event.type in _ENDS:
            self.completion = event.response
            # Some endpoints give the items only in the events before.
            if event.response and not getattr(event.response, "output", None):
                event.response.output = self._items
        elif event.type == "error":
            raise RuntimeError(event.message)
        return ""

    def end(self) -> str:
        """Return the last words, which were held back in case they belonged to thoughts."""
        return self._speech.end()


class StreamedAnswer:
    """Collects the chunks of a chat completion.

    Example:
        >>> from openai.types.chat import ChatCompletionChunk
        >>> answer = StreamedAnswer()
        >>> for delta in ({"reasoning_content": "Hm"}, {"reasoning_content": "m."}, {"content": "Hi."}):
        ...     choice = {"index": 0, "delta": delta, "finish_reason": None}
        ...     chunk = {"id": "c", "created": 0, "model": "m", "object": "chat.completion.chunk", "choices": [choice]}
        ...     _ = answer.add(ChatCompletionChunk.model_validate(chunk))
        >>> answer.completion.choices[0].message.reasoning_content
        'Hmm.'
    """

    def __init__(self) -> None:
        self._speech = Speech()
        self._completion: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._content: str | None = None
        self._message: dict[str, Any] = {}
        self._calls: list[tuple[Any, dict[str, Any]]] = []

    def add(self, chunk: Any) -> str:
        """Add a chunk, and return the words that are ready to show.

        Thoughts at the beginning of the text are left out.
        """
        sent: dict[str, Any] = chunk.to_dict(mode="json", warnings=False)
        choices: list[dict[str, Any]] = sent.pop("choices", None) or [{}]
        delta: dict[str, Any] = choices[0].pop("delta", None) or {}
        _join(self._completion, {**sent, "object": "chat.completion"})
        _join(self._choice, choices[0])
        content = delta.pop("content", None)
        if isinstance(content, list):
            parts: list[dict[str, Any]] = content
            if thoughts := [part for part in parts if part["type"] != "text"]:
                delta["thinking"] = thoughts
            content = "".join(part["text"] for part in parts if part["type"] == "text")
        if content is not None:
            self._content = (self._content or "") + content
        for call in delta.pop("tool_calls", None) or ():
            self._take_call(call)
        _join(self._message, delta)
        said = content or delta.get("refusal")
        return self._speech.add(said) if said else ""

    def end(self) -> str:
        """Return the last words, which were held back in case they belonged to thoughts."""
        return self._speech.end()

    @property
    def completion(self) -> Any:
        """The completion built from all chunks so far; `None` before the first chunk."""
        from openai.types.chat import ChatCompletion

        calls = [call for _, call in self._calls]
        message = {"role": "assistant", "content": self._content, **self._message, "tool_calls": calls or None}
        choice = {"index": 0, "finish_reason": None, **self._choice, "message": message}
        return ChatCompletion.construct(**self._completion, choices=[choice]) if self._completion else None

    def _take_call(self, piece: dict[str, Any]) -> None:
        """Add a piece to its call, or begin a call with it.

        The index alone does not identify the call: some endpoints send no index, begin at 1, or send 0 for all calls.
        Some repeat the id and the name in each piece.
        """
        index, id_, function = piece.pop("index", None), piece.get("id"), piece.get("function") or {}
        known = [
            call for at, call in self._calls if index in (None, at) and (not id_ or not call["id"] or call["id"] == id_)
        ]
        # A name after whole arguments belongs to the next call. With an id, an empty piece only repeats the name.
        is_next = function.get("name") and known and (function.get("arguments") or not known[-1]["id"])
        if not known or (is_next and _is_whole(known[-1]["function"]["arguments"])):
            known = [{"id": "", "type": "function", "function": {"name": "", "arguments": ""}}]
            self._calls.append((index, known[0]))
        before = known[-1]["function"]
        if function.get("name") and function["name"] != before["name"]:
            function["name"] = before["name"] + function["name"]
        if isinstance(function.get("arguments"), str) and isinstance(before["arguments"], str):
            function["arguments"] = before["arguments"] + function["arguments"]
        _join(known[-1], piece)


def _is_whole(arguments: Any) -> bool:
    """Return whether the arguments of a call are a whole object: in JSON, or as some endpoints send them, unquoted."""
    if not isinstance(arguments, str):
        return True
    try:
        return arguments.rstrip().endswith("}") and isinstance(json.loads(arguments), dict)
    except ValueError:
        return False


def _join(known: dict[str, Any], new: dict[str, Any]) -> None:
    """Add new members to known members: pieces of a text are joined, other values replace the old ones."""
    for name, value in new.items():
        before = known.get(name)
        if value is None:
            continue
        if isinstance(before, dict) and isinstance(value, dict):
            _join(before, value)  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(value, list):
            _join_lists(known.setdefault(name, []), value)  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(before, str) and isinstance(value, str) and name in _JOINED:
            # Some endpoints repeat the text so far in each chunk.
            is_repeated = len(before) >= _LEAST_REPEATED and value.startswith(before)
            known[name] = value if is_repeated else before + value
        elif value or not before:
            known[name] = value


def _join_lists(known: list[Any], new: list[Any]) -> None:
    """Add entries to a list. An entry continues the known one of its type and index; without an index, the newest."""
    for entry in new:
        same = known[-1:] if "index" not in entry else known
        found = next((one for one in same if all(one.get(name) == entry.get(name) for name in _SAME)), None)
        if found is None or (found is known[-1] and "index" not in entry and not _TEXTS & entry.keys()):
            known.append(entry)
        else:
            _join(found, entry)
