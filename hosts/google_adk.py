"""A memory in Google's Agent Development Kit: `Runner(..., memory_service=MemoryService(memories))`."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from memzoo.hosts.messages import HostMessage, chat_of, dump_model, host_text, in_pieces, make_call
from memzoo.hosts.shared import HostLog, Memories, VirtualSubclass, host_module, memory_of
from memzoo.strategy import BaseMemory

__all__ = ["MemoryService"]

_PIECES = 4  # Messages in the log for each event: an event with several tool results becomes several messages.


class MemoryService(VirtualSubclass):
    """ADK's `BaseMemoryService`: each user of an app has a memory, which learns from all sessions of the user.

    A memory that searches works too: ADK's tool `preload_memory` passes the user's newest words as the query. If a
    session is added again, only its new events are saved.
    """

    host_modules: ClassVar = ("google.adk.memory.base_memory_service",)
    host_class: ClassVar = "BaseMemoryService"

    def __init__(self, memories: Memories) -> None:
        """Make a service for memories.

        Args:
            memories: A `MemoryProvider`; a function that takes "app/user" and returns a memory; or, for a single user,
                a memory with "app/user" as its conversation id.
        """
        self._memories = memories

    def memory(self, app_name: str, user_id: str) -> BaseMemory:
        """Return the memory of a user of an app."""
        return memory_of(self._memories, f"{app_name}/{user_id}")

    async def add_session_to_memory(self, session: Any) -> None:
        """Save the new events of a session, and learn from them."""
        await self.add_events_to_memory(app_name=session.app_name, user_id=session.user_id, events=session.events)

    async def add_events_to_memory(self, *, app_name: str, user_id: str, events: Sequence[Any], **_: Any) -> None:
        """Save the events that are new, and learn from them.

        Partial events of a stream are skipped. If an event rewinds earlier events (`Runner.rewind_async`), the
        earlier events are deleted from the memory.
        """
        log, standing = self._log(app_name, user_id), _drop_rewound(events)
        if rewound := {event.id for event in events} - {event.id for event in standing}:
            await log.atake_back(rewound, _PIECES * len(events))
        said = [one for event in standing if not event.partial for one in _to_messages(event)]
        await log.afollow(said, ended=True)

    async def add_memory(self, *, app_name: str, user_id: str, memories: Iterable[Any], **_: Any) -> None:
        """Save texts to remember, and learn from them."""
        said = [one for entry in memories for one in _to_messages(entry)]
        await self._log(app_name, user_id).aadd(said, ended=True)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> Any:
        """Return the view for a query: first the memory's own texts, such as a summary; then messages, oldest first."""
        made = host_module("google.adk.memory.base_memory_service", "google-adk").SearchMemoryResponse
        shown = await self._log(app_name, user_id).aread_view(query)
        return made(memories=[entry for said in shown if (entry := _entry(said))])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forget an event for good, with everything learnt from it. `memory_id` is the event's id."""
        memory = self.memory(app_name, user_id)
        entries = await memory.aentries()
        found = [entry.seq for entry in entries if entry.turn_id.partition("/")[0] == memory_id]
        if found:
            await memory.aforget(found)

    def _log(self, app_name: str, user_id: str) -> HostLog:
        return HostLog(self.memory(app_name, user_id), "google-adk")


def _drop_rewound(events: Sequence[Any]) -> list[Any]:
    """Return the events except those that a later event has undone (`Runner.rewind_async`)."""
    standing: list[Any] = []
    for event in events:
        standing.append(event)
        if before := event.actions and event.actions.rewind_before_invocation_id:
            starts = (place for place, one in enumerate(standing) if one.invocation_id == before)
            del standing[next(starts, len(standing)) :]
    return standing


def _to_messages(event: Any) -> list[HostMessage]:
    """Return the chat messages for an event or a memory entry; an empty list if it has no content."""
    parts = event.content.parts if event.content else None
    if not parts:
        return []
    asked = [call for part in parts if (call := part.function_call)]
    given = [result for part in parts if (result := part.function_response)]
    files = [file for part in parts if (file := part.inline_data or part.file_data)]
    said = chat_of(
        "assistant" if event.content.role == "model" else "user",
        [part.text for part in parts if part.text and not part.thought],
        calls=[make_call(call.id, call.name, call.args) for call in asked],
        results=[(result.id or result.name or "", str(_plain(result.response))) for result in given],
        others=[file.mime_type or "file" for file in files],
    )
    own = dump_model(event, include={"author", "timestamp", "content"}, exclude_none=True)
    return in_pieces(said, own, event.id or "")


def _plain(response: Any) -> Any:
    """Return a function's result, which ADK wraps in a dict."""
    return response["result"] if isinstance(response, dict) and response.keys() == {"result"} else response


def _entry(said: HostMessage) -> Any:
    """Return a message as a memory entry; `None` for a message without text, and for a tool result."""
    text, own, role = host_text(said.message["content"]), said.own or {}, said.message["role"]
    if not text or role == "tool":
        return None
    said_as = "model" if role == "assistant" else "user"
    content = own.get("content") or {"role": said_as, "parts": [{"text": text}]}
    if isinstance(timestamp := own.get("timestamp"), float):
        timestamp = datetime.fromtimestamp(timestamp, UTC).isoformat()
    made = host_module("google.adk.memory.memory_entry", "google-adk").MemoryEntry
    return made(content=content, id=said.key or None, author=own.get("author") or role, timestamp=timestamp)
