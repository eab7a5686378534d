"""Files with a member changed: `python -m tests.hosts.exports.mutated 200` changes 200 members a form, or all.

What is expected of each change:

- A member more: the same conversations. An entry more in an object by ids is another message or conversation.
- A member renamed: the same conversations if the member does not matter; else a note or an error that says so.
- A member gone: likewise. Where a valid file of the form may lack the member, the file says another thing, and is read
  as it says: `MAY_LACK` has these members.
- A member null: as a member gone.
- A member of another type: the same conversations if the type does not matter; else a note or an error that says so.
  A text, or a list of one, can be words of a message; an empty value is as null.
- A letter ahead of a line of a text: only words change; else a note or an error says that a message may be lost.
- A column of a table renamed: as a member.
"""

import copy
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from memzoo.hosts.exports import ChatLog
from memzoo.hosts.exports.reading import Choice, read_conversations
from tests.hosts.exports import applications, test_people

__all__ = ["samples", "try_mutations", "write"]

MAY_LACK = {
    ("Google AI Studio", "systemInstruction"): "a prompt need not have an instruction",
    ("Google AI Studio", "parts"): "it writes {} for an instruction without words",
    ("Google AI Studio", "isThought"): "without it, the words are said",
    ("Gemini's API", "thought"): "without it, the words are said",
    ("Gemini's API, request", "systemInstruction"): "a request need not have an instruction",
    ("Gemini's API, request", "parts"): "an instruction without parts has no words",
    ("Gemini CLI", "content"): "an answer can be a call of a tool alone",
    ("Anthropic's API", "system"): "a request need not have an instruction",
    ("Bedrock's API", "system"): "a request need not have an instruction",
    ("Qwen Code", "thought"): "without it, the words are said",
    ("VS Code, Copilot", "kind"): "without it, the words are said",
    ("VS Code, Copilot", "shouldBeRemovedOnSend"): "without it, a request was not withdrawn",
    ("LM Studio", "style"): "without it, the words are said",
    ("Claude Code", "isCompactSummary"): "without it, the words are said",
    ("Cherry Studio", "foldSelected"): "without it, the first of several answers is read",
    ("ChatGPT", "recipient"): "without it, a message is for the user",
    ("ChatGPT", "metadata"): "without it, nothing hides a message",
    ("ChatGPT", "is_visually_hidden_from_conversation"): "without it, nothing hides a message",
    ("a gateway's log, line", "response"): "a request alone is a conversation",
    ("a gateway's log, line", "endTime"): "without it, an answer has the time of its request",
    ("AnythingLLM", "workspace"): "without it, a chat is in no workspace",
    ("OpenAssistant", "replies"): "null as []: nobody replied",
    ("OpenTelemetry GenAI", "resourceSpans"): "null as []: a batch has no spans",
    ("OpenTelemetry GenAI", "scopeSpans"): "null as []: a batch has no spans",
    ("OpenTelemetry GenAI", "spans"): "null as []: a batch has no spans",
    ("WildChat", "timestamp"): "users' messages have null",
    ("Discord", "nickname"): "without it, a person has another name",
    ("Slack", "subtype"): "without it, the words are said",
    ("Messenger", "is_unsent"): "without it, the words are said",
}
"""The members that a valid file of a form may lack, each with what a file without it says."""

WORDS = '"X"'
VALUES = {json.dumps(one): one for one in (None, "X", 7, True, ["X"], {"X": "X"}, "", 0, False, [], {})}
"""The values that a member gets in place of a value of another type."""

IDS = (
    *(("LangGraph, history", "thread_id"), ("OpenAI Assistants", "thread_id")),
    *(("chat messages of several conversations", "session_id"), ("AnythingLLM", "workspace")),
)
"""The ids of conversations that can be numbers: with another number, a message is of another conversation."""


def samples() -> dict[str, dict[str, Any]]:
    """The files of each form, by their paths: values for JSON, tuples of values for JSON Lines, texts for others."""
    of_people = {name: sample.files for name, sample in test_people.SAMPLES.items()}
    return {name: {one.file: one.document} for name, one in applications.SAMPLES.items()} | of_people


def members(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """All members of all objects in a value, each with its object."""
    match value:
        case dict():
            known = cast("dict[str, Any]", value)
            yield from ((known, key) for key in known)
            inside: list[Any] = list(known.values())
        case list() | tuple():
            inside = list(cast("list[Any]", value))
        case _:
            inside = []
    for one in inside:
        yield from members(one)


def write(files: dict[str, Any], folder: Path) -> Path:
    """Write files, and return the path of the only one, or of the folder."""
    texts = {
        name: "".join(f"{json.dumps(line)}\n" for line in cast("tuple[Any, ...]", one))
        if isinstance(one, tuple)
        else json.dumps(one)
        for name, one in files.items()
        if isinstance(one, dict | tuple) and not name.endswith(".zip")
    }
    test_people.write(files | texts, folder)
    return folder / next(iter(files)) if len(files) == 1 else folder


def read(files: dict[str, Any]) -> tuple[list[Any], set[str], list[str]]:
    """What was said in the conversations of files, the notes, and the errors."""
    with tempfile.TemporaryDirectory() as folder:
        found = list(read_conversations([write(files, Path(folder))]))
    logs = [one for one in found if isinstance(one, ChatLog)]
    said = [
        [
            # The times of instructions are of no use to anybody.
            (message["role"], message.get("name"), json.dumps(message["content"]), message["role"] != "system" and date)
            for message, date in zip(log.messages, log.dates, strict=True)
            if message["role"] != "tool" and message["content"]
        ]
        for log in logs
    ]
    errors = [str(one) for one in found if not isinstance(one, ChatLog)]
    # All commands end with this error where there is nothing.
    return said, {note for log in logs for note in log.notes}, errors or ([] if logs else [Choice().describe_lack("")])


def try_mutations(name: str, number: int) -> Iterator[tuple[str, str]]:
    """Yield the outcome of each mutation of a form's files, of which so many members are changed, and the mutation."""
    files = dict(samples()[name])
    for file in [file for file in files if file.endswith(".zip")]:
        files |= files.pop(file)
    whole, notes, _ = read(files)
    yield from _try_lines(files, [[(role, name or "", at) for role, name, _, at in log] for log in whole], notes)
    chance = random.Random(name)  # noqa: S311 - no secret
    places = [place for place, _ in enumerate(members(list(files.values())))]
    for place in chance.sample(places, min(number, len(places))):
        for change in ("renamed", "gone", "added", *VALUES):
            changed = copy.deepcopy(files)
            item, key = list(members(list(changed.values())))[place]
            if change in VALUES and type(item[key]) is type(VALUES[change]):
                continue
            value = item[key] if change == "added" else item.pop(key)
            if change in VALUES:
                item[key] = VALUES[change]
            elif change != "gone":
                item[f"{key}X"] = value
            said, told, errors = read(changed)
            if errors or said == whole:
                outcome = "error" if errors else "same"
            elif told - notes:
                outcome = "told"
            else:
                outcome = _find_outcome(change, name, (key, item.get(key)), said, whole)
            yield f"{change}: {outcome}", f"{key!r} of {json.dumps(item, default=str)}"


def _find_outcome(change: str, name: str, member: tuple[str, Any], said: list[Any], whole: list[Any]) -> str:
    """The outcome of a change after which other conversations are read, and nothing is told."""
    key, value = member
    if change in VALUES and _are_words(said, whole):
        return "words"
    if change not in ("renamed", "added") and not value and (name, key) in MAY_LACK:
        return "as it says"
    is_id = change in ("7", "0") and (name, key) in IDS
    return "another" if is_id or (change == "added" and all(one in said for one in whole)) else "silent"


def _are_words(said: list[Any], whole: list[Any]) -> bool:
    """If the conversations differ in the new text only, as the words of a message or as a message more."""
    flat, old = ([(n, *one) for n, log in enumerate(logs) for one in log] for logs in (said, whole))
    if len(flat) != len(old):
        return [one for one in flat if one[3] != WORDS] == old
    return all(
        one[:3] + one[4:] == other[:3] + other[4:] and one[3] in (WORDS, other[3])
        for one, other in zip(flat, old, strict=True)
    )


def _try_lines(files: dict[str, Any], whole: list[Any], notes: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the outcome of a letter ahead of each line of each text, or in each name of a table's columns."""
    for file, text in files.items():
        lines = text.split("\n") if isinstance(text, str) else []
        is_table = file.endswith(".csv")
        parts = lines[0].split(",") if is_table and lines else lines
        for number, part in ((n, part) for n, part in enumerate(parts) if part.strip()):
            changed = [*parts[:number], f"X{part}", *parts[number + 1 :]]
            new = "\n".join([",".join(changed), *lines[1:]] if is_table else changed)
            said, told, errors = read(files | {file: new})
            # A letter ahead of a name is another person's name.
            plain = [[(role, (name or "").removeprefix("X"), at) for role, name, _, at in log] for log in said]
            other = 1 if any((name or "").startswith("X") for log in said for _, name, *_ in log) else 0
            same = [[one[other:] for one in log] for log in plain] == [[one[other:] for one in log] for log in whole]
            yield f"line: {'error' if errors else 'same' if same else 'told' if told - notes else 'silent'}", part


def main(number: int) -> None:
    """Write the outcomes of each form, and the mutations that were read wrongly without a word."""
    sums = Counter[str]()
    for name in samples():
        outcomes = Counter[str]()
        for outcome, mutation in try_mutations(name, number):
            outcomes[outcome] += 1
            if outcome.endswith("silent"):
                sys.stdout.write(f"  {outcome}: {mutation:.200}\n")
        sys.stdout.write(f"{name} {dict(sorted(outcomes.items()))}\n")
        sums += outcomes
    sys.stdout.write(f"{dict(sorted(sums.items()))}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
