"""Puts the chunks of a streamed answer together, with the members that only some providers send."""

import json
from typing import Any

from memzoo.memories.text.thoughts import Speech

__all__ = ["StreamedAnswer"]

# The client joins all texts of a member, and refuses lists whose entries have no index, so it gets only the members
# that it knows. A text of these further members is a piece of what was said; any other text is a name or a signature,
# which comes whole.
_JOINED = frozenset(
    {"reasoning_content", "reasoning", "reasoning_text", "thinking", "text", "summary", "content", "data", "transcript"}
)
_SAME = ("type", "index")
_TEXTS = frozenset({"text", "summary", "thinking"})
# With fewer characters, a piece may begin with the text so far by chance.
_LEAST_REPEATED = 16


class StreamedAnswer:
    """A streamed answer so far.

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
        from openai.lib.streaming.chat import ChatCompletionStreamState

        self._state: Any = ChatCompletionStreamState()
        self._begun = False
        self._speech = Speech()
        self._message: dict[str, Any] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        # The id, name and arguments of each call so far, and the place of the newest call with each number.
        self._begun_calls: list[list[str]] = []
        self._places: dict[int, int] = {}

    def add(self, chunk: Any) -> str:
        """Add a chunk, and return the words that can be said now, without thoughts at the beginning."""
        from openai.types.chat.chat_completion_chunk import ChoiceDelta

        for choice in chunk.choices:
            choice.delta = choice.delta or ChoiceDelta()  # some endpoints end with a chunk without a delta
        delta = chunk.choices[0].delta if chunk.choices else None
        if delta:
            self._take_members(delta)
        self._begun = True
        self._state.handle_chunk(chunk)
        said = delta and (delta.content or delta.refusal)
        return self._speech.add(said) if said else ""

    def end(self) -> str:
        """Return the words that were held back."""
        return self._speech.end()

    @property
    def completion(self) -> Any:
        """The completion of all chunks; `None` before the first chunk."""
        if not self._begun:
            return None
        completion = self._state.current_completion_snapshot
        if completion.choices:
            message = completion.choices[0].message
            message.model_extra.update(self._message)
            for place, call in enumerate(message.tool_calls or ()):
                call.model_extra.update(self._calls.get(place, {}))
        return completion

    def _take_members(self, delta: Any) -> None:
        """Take over members that the client would garble: those of the provider, parts of thoughts, bare calls."""
        from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCallFunction

        _join(self._message, _take(delta))
        if isinstance(delta.content, list):
            parts: list[Any] = delta.content
            thoughts = [part for part in parts if part["type"] != "text"]
            _join(self._message, {"thinking": thoughts} if thoughts else {})
            delta.content = "".join(part["text"] for part in parts if part["type"] == "text")
        for call in delta.tool_calls or ():
            # The client takes every piece of a call for one of its function.
            call.function = call.function or ChoiceDeltaToolCallFunction()
            self._number(call)
            _join(self._calls.setdefault(call.index, {}), _take(call))

    def _number(self, call: Any) -> None:
        """Number a piece of a call by the call's place in the answer.

        Endpoints number calls from 0 or 1, give all calls the number 0, or none, and may repeat id and name in each
        piece, which the client would join.
        """
        number, begun = getattr(call, "index", None), self._begun_calls
        place = len(begun) - 1 if number is None else self._places.get(number, -1)
        if number is None and call.id:
            place = next((at for at, (id_, *_) in enumerate(begun) if id_ == call.id), -1)
        id_, name, arguments = begun[place] if place >= 0 else ("", "", "")
        is_another = bool(call.id and id_ and call.id != id_)
        is_whole = number is None and not call.id and bool(call.function.name) and _is_object(arguments)
        if place < 0 or is_another or is_whole:
            place, id_, name, arguments = len(begun), "", "", ""
            begun.append([])
        call.id = None if id_ and call.id == id_ else call.id
        call.function.name = None if call.function.name == name else call.function.name
        arguments = "" if number is not None else arguments + (call.function.arguments or "")
        begun[place] = [call.id or id_, name + (call.function.name or ""), arguments]
        call.index = place
        if number is not None:
            self._places[number] = place


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _take(thing: Any) -> dict[str, Any]:
    """Remove the members that the client does not know from an object, and return them."""
    taken = dict(thing.model_extra or {})
    if taken:
        thing.model_extra.clear()
    return taken


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
    """Add entries: an entry with the type and index of a known one continues that, one without index the newest."""
    for entry in new:
        same = known[-1:] if "index" not in entry else known
        found = next((one for one in same if all(one.get(name) == entry.get(name) for name in _SAME)), None)
        if found is None or (found is known[-1] and "index" not in entry and not _TEXTS & entry.keys()):
            known.append(entry)
        else:
            _join(found, entry)
