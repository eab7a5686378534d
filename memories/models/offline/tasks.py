"""What the offline model does with a chat: one of memzoo's tasks, or an answer to a question."""

from collections.abc import Sequence

from memzoo.memories.models.offline.answers import answer
from memzoo.memories.models.offline.entities import current_entities, entity_extraction
from memzoo.memories.models.offline.notes import entity_update
from memzoo.memories.models.offline.summary import summary
from memzoo.memories.models.offline.text import Prompt, Turn, read_prompt
from memzoo.memories.models.offline.triples import triple_extraction

__all__ = ["TASKS", "reply"]

TASKS = ("summary", "entity_extraction", "entity_update", "triple_extraction", "current_entities")
"""The names of the tasks, as the first line of a prompt gives them: `Task: summary.`"""


def reply(messages: Sequence[Turn]) -> str:
    """The model's answer to a chat.

    Args:
        messages: The messages with their roles as speakers, oldest first.
    """
    last = next((message for message in reversed(messages) if message.speaker == "user"), None)
    prompt = read_prompt(last.text) if last else None
    if prompt and prompt.task in TASKS:
        return _done(prompt)
    return answer(messages)


def _done(prompt: Prompt) -> str:
    parts = prompt.sections
    match prompt.task:
        case "summary":
            return summary(parts["summary"], parts["new_lines"])
        case "entity_extraction":
            return entity_extraction(parts["history"], parts["new_lines"])
        case "entity_update":
            return entity_update(parts["history"], parts["new_lines"], parts["known"])
        case "triple_extraction":
            return triple_extraction(parts["history"], parts["new_lines"])
        case _:
            return current_entities(parts["history"], parts["input"])
