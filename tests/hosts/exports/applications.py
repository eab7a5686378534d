"""Small exports of each application and log, with their peculiarities, and the conversations in them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

Said = Sequence[tuple[str, str, int | None]]


@dataclass(frozen=True)
class Sample:
    """A file of a form.

    Attributes:
        file: The file's name.
        document: Its content: a text, the lines of JSON Lines as a tuple, or another JSON value.
        talks: The words of each conversation: role, text, and the minute after ten o'clock; `None` without a time.
        keys: The keys of a message's role, text, time and parent; "" where the form has none, or may miss it.
        notes: What is told of the parts that are left out or changed.
    """

    file: str
    document: Any
    talks: Sequence[Said]
    keys: tuple[str, str, str, str]
    notes: tuple[str, ...] = ()

    def write(self, folder: Path, document: Any = None) -> Path:
        """Write the file, or a changed document in its form."""
        document = self.document if document is None else document
        if isinstance(document, tuple):
            lines = cast("tuple[Any, ...]", document)
            text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        else:
            text = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
        (folder / self.file).parent.mkdir(parents=True, exist_ok=True)
        (folder / self.file).write_text(text, encoding="utf-8")
        return folder / self.file


def at(minute: int) -> str:
    """A time in ISO 8601."""
    return f"2026-05-04T10:{minute:02}:00.000Z"


def seconds(minute: int) -> int:
    """A time in seconds since 1970."""
    return 1777888800 + 60 * minute


def claude(uuid: str, parent: str | None, kind: str, content: Any, minute: int, **more: Any) -> dict[str, Any]:
    """An entry of Claude Code."""
    message = {"role": kind, "content": content}
    head = {"parentUuid": parent, "uuid": uuid, "sessionId": "s1", "type": kind, "message": message}
    return head | {"timestamp": at(minute)} | more


def qwen(uuid: str, parent: str | None, kind: str, role: str, minute: int, *parts: Any) -> dict[str, Any]:
    """An entry of Qwen Code."""
    return claude(uuid, parent, kind, None, minute, message={"role": role, "parts": [*parts]})


def copilot(kind: str, minute: int, **data: Any) -> dict[str, Any]:
    """An event of Copilot CLI."""
    return {"type": kind, "data": data, "id": f"e{minute}", "timestamp": at(minute), "parentId": None}


_HIDDEN = "is_visually_hidden_from_conversation"


def chatgpt(id_: str, parent: str, role: str, text: str, minute: int, **more: Any) -> dict[str, Any]:
    """A node of ChatGPT's tree."""
    content = {"content_type": "text", "parts": [text]}
    head = {"id": id_, "author": {"role": role}, "create_time": seconds(minute), "content": content}
    return {"id": id_, "parent": parent, "children": [], "message": head | {"recipient": "all"} | more}


def claude_ai(uuid: str, parent: str, sender: str, text: str, minute: int, **more: Any) -> dict[str, Any]:
    """A message of Claude.ai."""
    head = {"uuid": uuid, "parent_message_uuid": parent, "sender": sender, "text": text, "created_at": at(minute)}
    return head | {"content": [{"type": "text", "text": text}], "attachments": [], "files": []} | more


def codex(kind: str, minute: int, **payload: Any) -> dict[str, Any]:
    """A line of Codex CLI."""
    return {"timestamp": at(minute), "type": kind, "payload": payload}


def typed(kind: str, text: str) -> dict[str, Any]:
    """A message's item in a line of Codex CLI."""
    return {"type": "message", "role": kind, "content": [{"type": "input_text", "text": text}]}


def grok(id_: str, parent: str | None, sender: str, text: str, minute: int) -> dict[str, Any]:
    """A response of Grok."""
    time = {"$date": {"$numberLong": str(seconds(minute) * 1000)}}
    return {
        "response": {"_id": id_, "sender": sender, "message": text, "create_time": time, "parent_response_id": parent}
    }


CITED = '<grok:render card_id="1" type="render_inline_citation">\n<argument name="id">0</argument>\n</grok:render>'
"""A mark of Grok's for which the page shows a sign."""


def deepseek(parent: str | None, children: list[str], minute: int, *fragments: tuple[str, str]) -> dict[str, Any]:
    """A node of DeepSeek's tree."""
    told = [{"type": kind, "content": text} for kind, text in fragments]
    message = {"files": [], "model": "m", "inserted_at": at(minute), "fragments": told} if told else None
    return {"id": "x", "parent": parent, "children": children, "message": message}


def bubble(id_: str, parent: str | None, role: str, content: str, minute: int) -> dict[str, Any]:
    """A message of Open WebUI."""
    return {"id": id_, "parentId": parent, "role": role, "content": content, "timestamp": seconds(minute)}


def sheet(id_: str, parent: str, sender: str, text: str, minute: int, **more: Any) -> dict[str, Any]:
    """A message of LibreChat."""
    head = {"messageId": id_, "parentMessageId": parent, "sender": sender, "text": text}
    return head | {"isCreatedByUser": sender == "user", "createdAt": at(minute)} | more


def node(id_: str, parent: str | None, role: str, content: str, minute: int, **more: Any) -> dict[str, Any]:
    """A message of llama.cpp's page."""
    head = {"id": id_, "parent": parent, "type": "text", "role": role, "content": content}
    return head | {"timestamp": seconds(minute) * 1000} | more


def chosen(role: str, *versions: list[dict[str, Any]], selected: int = 0) -> dict[str, Any]:
    """A message of LM Studio."""
    return {"versions": [{"role": role, "steps": steps} for steps in versions], "currentlySelected": selected}


def step(text: str, **more: Any) -> dict[str, Any]:
    """A step of an answer of LM Studio."""
    return {"type": "contentBlock", "content": [{"type": "text", "text": text}], **more}


def attribute(key: str, value: Any) -> dict[str, Any]:
    """An attribute of a span in OpenTelemetry's JSON."""
    return {"key": key, "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)}}


def span(minute: int, asked: list[str], answered: str) -> dict[str, Any]:
    """A batch with a span of a call that repeats the history."""
    told = [
        {"role": role, "parts": [{"type": "text", "content": text}]}
        for role, text in zip(("user", "assistant") * 2, asked, strict=False)
    ]
    parts = [{"type": "reasoning", "content": "Hm"}, {"type": "text", "content": answered}]
    attributes = [
        attribute("gen_ai.operation.name", "chat"),
        attribute("gen_ai.conversation.id", "t1"),
        attribute("gen_ai.input.messages", told),
        attribute("gen_ai.output.messages", [{"role": "assistant", "parts": parts}]),
    ]
    times = {f"{end}TimeUnixNano": f"{seconds(minute + n)}000000000" for n, end in enumerate(("start", "end"))}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "chat", "attributes": attributes, **times}]}]}]}


def langchain(kind: str, content: str) -> dict[str, Any]:
    """A message of LangChain, dumped."""
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", kind],
        "kwargs": {"content": content},
    }


def run(minute: int, *asked: str, answered: str) -> dict[str, Any]:
    """A run of LangSmith."""
    told = [langchain(kind, text) for kind, text in zip(("HumanMessage", "AIMessage") * 2, asked, strict=False)]
    outputs = {"generations": [[{"message": langchain("AIMessage", answered)}]]}
    head = {"id": f"r{minute}", "run_type": "llm", "start_time": at(minute), "end_time": at(minute + 1)}
    return head | {"inputs": {"messages": [told]}, "outputs": outputs, "extra": {"metadata": {"thread_id": "t1"}}}


OPENAI = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "My loom is from Vik."},
    {"role": "assistant", "content": "What do you weave?"},
    {"role": "user", "content": "Linen."},
]
LOOM: Said = (
    ("system", "Be short.", None),
    ("user", "My loom is from Vik.", 1),
    ("assistant", "What do you weave?", 2),
    ("user", "Linen.", 3),
    ("assistant", "It lasts.", 4),
)
REPEATED: Said = LOOM[1:]


def phoenix(minute: int, asked: list[dict[str, str]], answered: str) -> dict[str, Any]:
    """A span of Phoenix with points in the names of its attributes."""
    attributes: dict[str, Any] = {"session.id": "t1", "llm.output_messages.0.message.role": "assistant"}
    attributes["llm.output_messages.0.message.content"] = answered
    for number, one in enumerate(asked):
        attributes |= {f"llm.input_messages.{number}.message.{key}": value for key, value in one.items()}
    times = {"start_time": at(minute), "end_time": at(minute + 1)}
    return {"context": {"span_id": f"s{minute}"}, "span_kind": "LLM", "attributes": attributes, **times}


def line(minute: int, asked: list[dict[str, str]], answered: str) -> dict[str, Any]:
    """A line of a gateway's log."""
    answer = {"choices": [{"message": {"role": "assistant", "content": answered}}]}
    return {"messages": asked, "response": answer, "startTime": seconds(minute), "endTime": seconds(minute + 1)}


SAMPLES = {
    "Claude Code": Sample(
        "s1.jsonl",
        (
            {"type": "summary", "summary": "Fees", "leafUuid": "a4"},
            claude("u1", None, "user", "The fee is 3 percent.", 1),
            claude("a1", "u1", "assistant", [{"type": "thinking", "thinking": "Hm"}], 1),
            claude("a2", "a1", "assistant", [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"n": 1}}], 2),
            claude("u2", "a2", "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "FEE = 2"}], 2),
            claude("s1", "a2", "user", "Find tests.", 2, isSidechain=True),
            claude("um", "u2", "user", "<command-name>/cost</command-name>", 2),
            claude("a3", "u2", "assistant", [{"type": "text", "text": "It was 2."}], 3),
            claude("u3", "a3", "user", "Test Bo.", 4),
            claude("u4", "a3", "user", [{"type": "text", "text": "Test Ada."}], 5),
            claude("a4", "u4", "assistant", [{"type": "text", "text": "Tested."}], 6),
            {"type": "system", "uuid": "c", "parentUuid": None, "logicalParentUuid": "a4"},
            {"type": "system", "uuid": "lonely", "subtype": "api_error"},
            claude("cs", "c", "user", "Summary: fees.", 7, isCompactSummary=True),
            claude("u5", "cs", "user", "Thanks.", 8),
            claude("u6", "u5", "user", "<command-name>/fee</command-name>\n<command-args>of Bo</command-args>", 9),
        ),
        [
            [
                *(
                    ("user", "The fee is 3 percent.", 1),
                    ("assistant", "It was 2.", 3),
                    ("user", "Test Ada.", 5),
                ),
                *(("assistant", "Tested.", 6), ("user", "Thanks.", 8), ("user", "/fee of Bo", 9)),
            ]
        ],
        ("type", "content", "timestamp", "parentUuid"),
        ("1 entry of subagents left out", "1 other branch left out (FILE:branches=all reads them)"),
    ),
    "Claude Code, a subagent": Sample(
        "agent-1.jsonl",
        (
            claude("u1", None, "user", "Find tests.", 1, isSidechain=True),
            claude("a1", "u1", "assistant", "Two.", 2, isSidechain=True),
        ),
        [[("user", "Find tests.", 1), ("assistant", "Two.", 2)]],
        ("type", "content", "timestamp", "parentUuid"),
    ),
    "Claude Code, session of the web": Sample(
        "session.json",
        {
            "loglines": [
                {"type": kind, "timestamp": at(minute), "message": {"role": kind, "content": text}}
                for kind, text, minute in (("user", "Is it fig?", 1), ("assistant", "It is.", 2))
            ]
        },
        [[("user", "Is it fig?", 1), ("assistant", "It is.", 2)]],
        ("type", "content", "timestamp", ""),
    ),
    "Qwen Code": Sample(
        "q1.jsonl",
        (
            qwen("u", None, "user", "user", 0, {"text": "Is it fig?"}),
            qwen("c", "u", "assistant", "model", 1, {"functionCall": {"id": "1", "name": "look", "args": {}}}),
            qwen(
                *("r", "c", "tool_result", "user", 2),
                {"functionResponse": {"id": "1", "name": "look", "response": {"output": "fig"}}},
            ),
            qwen("a", "r", "assistant", "model", 3, {"text": "Let me see.", "thought": True}, {"text": "It is."}),
        ),
        [[("user", "Is it fig?", 0), ("assistant", "It is.", 3)]],
        ("type", "", "timestamp", "parentUuid"),
    ),
    "Copilot CLI": Sample(
        "events.jsonl",
        (
            copilot("session.start", 0, sessionId="p1"),
            copilot("user.message", 1, content="Is it fig?", transformedContent="Is it fig?\nIt is noon."),
            copilot("tool.execution_start", 2, toolName="look"),
            copilot("assistant.message", 3, content="It is.", toolRequests=[]),
        ),
        [[("user", "Is it fig?", 1), ("assistant", "It is.", 3)]],
        ("type", "content", "timestamp", ""),
        ("left out: 2 events",),
    ),
    "VS Code, Copilot": Sample(
        "chat.json",
        {
            "responderUsername": "GitHub Copilot",
            "initialLocation": "panel",
            "requests": [
                {
                    "requestId": "r2",
                    "message": {"text": "Oops", "parts": []},
                    "timestamp": seconds(2) * 1000,
                    "response": [],
                    "shouldBeRemovedOnSend": {"requestId": "r2"},
                },
                {
                    "requestId": "r1",
                    "message": {"text": "Is it fig?", "parts": []},
                    "timestamp": seconds(1) * 1000,
                    "response": [
                        {"kind": "mcpServersStarting", "didStartServerIds": []},
                        {"kind": "thinking", "value": "Fig.", "id": "t"},
                        {"kind": "toolInvocationSerialized", "toolId": "look", "toolCallId": "c", "isComplete": True},
                        {"value": "It is, says ", "supportHtml": False},
                        {"kind": "inlineReference", "inlineReference": {"path": "/home/ada/fig.md", "scheme": "file"}},
                        {"value": ".", "supportHtml": False},
                    ],
                },
                {
                    "requestId": "r3",
                    "message": {"text": "Thanks.", "parts": []},
                    "timestamp": seconds(3) * 1000,
                    "response": [{"value": "Any time."}],
                },
            ],
        },
        [
            [
                *(("user", "Is it fig?", 1), ("assistant", "It is, says fig.md.", 1)),
                *(("user", "Thanks.", 3), ("assistant", "Any time.", 3)),
            ]
        ],
        ("", "text", "timestamp", ""),
        ("left out: 1 withdrawn request", "1 part other than text left out: tool step"),
    ),
    "Cursor": Sample(
        "c1.jsonl",
        (
            {"role": "user", "message": {"content": [{"type": "text", "text": "Is it fig?"}]}},
            {"role": "assistant", "message": {"content": [{"type": "text", "text": "It is."}]}},
            {"type": "turn_ended", "status": "success"},
        ),
        [[("user", "Is it fig?", None), ("assistant", "It is.", None)]],
        ("role", "text", "", ""),
    ),
    "Codex CLI": Sample(
        "rollout-1.jsonl",
        (
            codex("session_meta", 0, id="c1", cwd="/home/ada"),
            codex("response_item", 0, **typed("user", "<environment_context>shell</environment_context>")),
            codex("response_item", 1, **typed("user", "Our port is 4711.")),
            codex("event_msg", 1, type="user_message", message="Our port is 4711."),
            codex("response_item", 1, type="reasoning", summary=[]),
            codex("event_msg", 2, type="agent_message", message="I look."),
            codex("response_item", 2, type="function_call", name="shell", arguments="{}", call_id="c"),
            codex("response_item", 2, type="function_call_output", call_id="c", output="4712"),
            codex("response_item", 2, type="custom_tool_call", name="apply_patch", input="4711", call_id="p"),
            codex("response_item", 2, type="custom_tool_call_output", call_id="p", output="Done"),
            codex("event_msg", 3, type="agent_message", message="It was 4712."),
            codex("event_msg", 4, type="user_message", message="Delete it."),
            codex("event_msg", 5, type="thread_rolled_back", num_turns=1),
            codex("response_item", 6, **typed("user", "Another model began this.")),
            codex("response_item", 6, **typed("user", "Thanks.")),
            codex("response_item", 6, **typed("user", "And?")),
            codex("event_msg", 6, type="user_message", message="Thanks."),
        ),
        [
            [
                *(("user", "Our port is 4711.", 1), ("assistant", "I look.", 2), ("assistant", "It was 4712.", 3)),
                ("user", "Thanks.", 6),
            ]
        ],
        ("", "message", "timestamp", ""),
        ("1 turn that the user took back left out", "1 message that the program did not show left out"),
    ),
    "Codex CLI, at first": Sample(
        "rollout-0.jsonl",
        (
            {"id": "c0", "timestamp": at(0), "instructions": None},
            typed("user", "<environment_context>shell</environment_context>"),
            typed("user", "Our port is 4711."),
            typed("assistant", "Noted."),
        ),
        [[("user", "Our port is 4711.", None), ("assistant", "Noted.", None)]],
        ("role", "text", "", ""),
    ),
    "Gemini, Takeout": Sample(
        "MyActivity.json",
        [
            {"header": "Gemini Apps", "title": "Prompted And a beak?", "time": at(5)},
            {"header": "Gemini Apps", "title": "Gave feedback", "time": at(4)},
            {
                "header": "Gemini Apps",
                "title": "Prompted My duck Olga limps.",
                "time": at(1),
                "attachedFiles": [{"name": "olga.jpg"}],
                "safeHtmlItem": [{"html": "<p>See a <b>vet</b> &amp; rest.</p><ul><li>soft straw</li></ul>"}],
            },
        ],
        [
            [
                ("user", "My duck Olga limps.", 1),
                ("assistant", "See a vet & rest.\nsoft straw", 1),
                ("user", "And a beak?", 5),
            ]
        ],
        ("", "html", "time", ""),
        (
            "1 part other than text left out: olga.jpg",
            "the export does not say which prompts belong together, so all are one conversation",
            "1 activity without a prompt left out",
            "1 prompt without an answer in the export",
        ),
    ),
    "Gemini, Takeout, German and Japanese": Sample(
        "MyActivity.json",
        [
            {
                "header": "Gemini-Apps",
                "title": f"{before} My duck Olga limps.",
                "time": at(minute),
                "safeHtmlItem": [{"html": "<p>See a vet.</p>"}],
            }
            for before, minute in (("Eingegebener Prompt:", 2), ("送信したメッセージ:", 1))
        ],
        [
            [
                *(("user", "My duck Olga limps.", 1), ("assistant", "See a vet.", 1)),
                *(("user", "My duck Olga limps.", 2), ("assistant", "See a vet.", 2)),
            ]
        ],
        ("", "html", "time", ""),
    ),
    "Gemini CLI": Sample(
        "session-1.json",
        {
            "sessionId": "g1",
            "projectHash": "h",
            "startTime": at(0),
            "messages": [
                {"id": "1", "type": "user", "timestamp": at(1), "content": [{"text": "My branch is kiwi."}]},
                {"id": "2", "type": "info", "timestamp": at(1), "content": "Update available"},
                {
                    "id": "3",
                    "type": "gemini",
                    "timestamp": at(2),
                    "content": "Kiwi it is.",
                    "thoughts": [],
                    "toolCalls": [{"id": "c", "name": "git", "args": {}, "result": [{"text": "kiwi"}]}],
                },
            ],
        },
        [[("user", "My branch is kiwi.", 1), ("assistant", "Kiwi it is.", 2)]],
        ("type", "content", "timestamp", ""),
    ),
    "Gemini CLI, JSON Lines": Sample(
        "session-2.jsonl",
        (
            {"sessionId": "g2", "projectHash": "h", "startTime": at(0)},
            {"id": "1", "type": "user", "timestamp": at(1), "content": "My branch is kiwi."},
            {"id": "2", "type": "gemini", "timestamp": at(2), "content": ""},
            {"$set": {"lastUpdated": at(2)}},
            {"id": "2", "type": "gemini", "timestamp": at(2), "content": "Kiwi it is."},
            {"id": "3", "type": "user", "timestamp": at(3), "content": "Push it."},
            {"$rewindTo": "3"},
            {"id": "4", "type": "user", "timestamp": at(4), "content": "Leave it."},
        ),
        [[("user", "My branch is kiwi.", 1), ("assistant", "Kiwi it is.", 2), ("user", "Leave it.", 4)]],
        ("type", "content", "timestamp", ""),
        ("1 message that the user took back left out",),
    ),
    "Google AI Studio": Sample(
        "Rhymes.json",
        {
            "systemInstruction": {"parts": [{"text": "Rhyme."}]},
            "chunkedPrompt": {
                "chunks": [
                    {"role": "user", "text": "I am Pia from Thun."},
                    {"role": "model", "text": "Think of rhymes.", "isThought": True},
                    {"role": "model", "text": "Pia, hear a fun pun!"},
                    {"role": "user", "driveImage": {"id": "x"}},
                ]
            },
        },
        [
            [
                *(("system", "Rhyme.", None), ("user", "I am Pia from Thun.", None)),
                *(("assistant", "Pia, hear a fun pun!", None), ("user", "[driveImage]", None)),
            ]
        ],
        ("role", "text", "", ""),
        ("left out: 1 thought",),
    ),
    "Grok": Sample(
        "prod-grok-backend.json",
        {
            "conversations": [
                {
                    "conversation": {"id": "k1", "title": "Tent", "leaf_response_id": "4"},
                    "responses": [
                        grok("1", None, "human", "My tent is green.", 1),
                        grok("2", "1", "ASSISTANT", "Nice.", 2),
                        grok("5", "2", "human", "Yes.", 5),
                        grok("3", "1", "ASSISTANT", f"How old{CITED} is it?", 3),
                        grok("4", "3", "human", "Nine years.", 4),
                    ],
                }
            ]
        },
        [[("user", "My tent is green.", 1), ("assistant", "How old is it?", 3), ("user", "Nine years.", 4)]],
        ("sender", "message", "create_time", ""),
        ("1 other branch left out (FILE:branches=all reads them)",),
    ),
    "DeepSeek": Sample(
        "conversations.json",
        [
            {
                "id": "d1",
                "title": "Sled",
                "inserted_at": at(0),
                "updated_at": at(5),
                "mapping": {
                    "root": deepseek(None, ["1"], 0),
                    "1": deepseek("root", ["2", "3"], 1, ("REQUEST", "My sled is called Runa.")),
                    "2": deepseek("1", [], 2, ("RESPONSE", "Nice.")),
                    "3": deepseek("1", [], 3, ("THINK", "A name."), ("RESPONSE", "Is Runa fast?")),
                },
            }
        ],
        [[("user", "My sled is called Runa.", 1), ("assistant", "Is Runa fast?", 3)]],
        ("type", "content", "inserted_at", "parent"),
        ("1 other branch left out (FILE:branches=all reads them)",),
    ),
    "Le Chat": Sample(
        "chat-1.json",
        [
            {"chatId": "l1", "role": "user", "content": "He is Jo.", "contentChunks": None, "createdAt": at(3)},
            {
                "chatId": "l1",
                "role": "assistant",
                "content": "",
                "createdAt": at(2),
                "contentChunks": [
                    {"type": "tool_call", "name": "web_search"},
                    {"type": "text", "text": "Who is "},
                    {"type": "reference", "referenceIds": [1]},
                    {"type": "text", "text": "he?"},
                ],
            },
            {"chatId": "l1", "role": "user", "content": "My tutor is ill.", "contentChunks": None, "createdAt": at(1)},
        ],
        [[("user", "My tutor is ill.", 1), ("assistant", "Who is he?", 2), ("user", "He is Jo.", 3)]],
        ("role", "content", "createdAt", ""),
        ("the messages were not in the order of their times, and were sorted",),
    ),
    "Open WebUI": Sample(
        "chat-export.json",
        [
            {
                "id": "w1",
                "title": "Plot",
                "chat": {
                    "history": {
                        "currentId": "4",
                        "messages": {
                            "1": bubble("1", None, "user", "My plot is 9.", 1),
                            "2": bubble("2", "1", "assistant", "Fine.", 2),
                            "3": bubble(
                                *("3", "1", "assistant"),
                                '<details type="reasoning" done="true">\n<summary>Hm</summary>\n</details>\n'
                                '<details type="tool_calls" done="true" id="c" name="look" arguments="&quot;{}&quot;" '
                                'result="&quot;sunny&quot;">\n<summary>Tool Executed</summary>\n</details>\nSun?',
                                3,
                            ),
                            "4": bubble("4", "3", "user", "Shade.", 4),
                        },
                    }
                },
            }
        ],
        [[("user", "My plot is 9.", 1), ("assistant", "Sun?", 3), ("user", "Shade.", 4)]],
        ("role", "content", "timestamp", "parentId"),
        ("1 other branch left out (FILE:branches=all reads them)",),
    ),
    "LibreChat": Sample(
        "flat.json",
        {
            "conversationId": "b1",
            "title": "Goat",
            "branches": True,
            "recursive": False,
            "messages": [
                sheet("1", "00000000-0000-0000-0000-000000000000", "user", "My goat is Mo.", 1),
                sheet("2", "1", "model", "Hi Mo.", 2),
                sheet("3", "1", "model", "How old is Mo?", 3),
                sheet("4", "3", "user", "Two.", 4),
            ],
        },
        [[("user", "My goat is Mo.", 1), ("assistant", "How old is Mo?", 3), ("user", "Two.", 4)]],
        ("isCreatedByUser", "text", "createdAt", "parentMessageId"),
        ("1 other branch left out (FILE:branches=all reads them)",),
    ),
    "LibreChat, tree": Sample(
        "tree.json",
        {
            "conversationId": "b1",
            "title": "Goat",
            "branches": True,
            "recursive": True,
            "messages": [
                sheet(
                    *("1", "00000000-0000-0000-0000-000000000000", "user", "My goat is Mo.", 1),
                    children=[
                        sheet("2", "1", "model", "Hi Mo.", 2, children=[]),
                        sheet("3", "1", "model", "Old?", 3, children=[sheet("4", "3", "user", "Two.", 4, children=[])]),
                    ],
                )
            ],
        },
        [[("user", "My goat is Mo.", 1), ("assistant", "Old?", 3), ("user", "Two.", 4)]],
        ("isCreatedByUser", "text", "", "parentMessageId"),
        ("1 other branch left out (FILE:branches=all reads them)",),
    ),
    "LM Studio": Sample(
        "1.conversation.json",
        {
            "name": "Bow",
            "systemPrompt": "",
            "messages": [
                chosen("user", [step("My bow broke.")]),
                chosen(
                    "assistant",
                    [step("Sorry.")],
                    [
                        step("Hm", style={"type": "thinking"}),
                        step("Which bow?"),
                        {"type": "debugInfoBlock", "debugInfo": "named"},
                    ],
                    selected=1,
                ),
            ],
        },
        [[("user", "My bow broke.", None), ("assistant", "Which bow?", None)]],
        ("role", "text", "", ""),
        ("left out: 1 other version",),
    ),
    "Jan": Sample(
        "threads/j1/messages.jsonl",
        tuple(
            {
                "object": "thread.message",
                "thread_id": "j1",
                "role": role,
                "created_at": seconds(n) * 1000,
                "content": [{"type": "text", "text": {"value": text}}],
            }
            for n, (role, text) in enumerate((("user", "My aunt is Eva."), ("assistant", "Hello Eva.")), start=1)
        ),
        [[("user", "My aunt is Eva.", 1), ("assistant", "Hello Eva.", 2)]],
        ("role", "content", "created_at", ""),
    ),
    "llama.cpp's page": Sample(
        "conversation.json",
        {
            "conv": {"id": "v1", "name": "Barn", "currNode": "3"},
            "messages": [
                node("0", None, "system", "", 0, type="root"),
                node("1", "0", "user", "My barn leaks.", 1),
                node("2", "1", "assistant", "Oh.", 2),
                node("4", "2", "user", "Yes.", 4),
                node("3", "1", "assistant", "Where?", 3, thinking="A leak."),
            ],
        },
        [[("user", "My barn leaks.", 1), ("assistant", "Where?", 3)]],
        ("role", "content", "timestamp", "parent"),
        ("1 other branch left out (FILE:branches=all reads them)",),
    ),
    "llama.cpp's page, JSON Lines": Sample(
        "conversation.jsonl",
        (
            {"harness": "llama.cpp", "type": "session", "id": "v1", "name": "Barn", "currNode": "4"},
            {"type": "message", "message": node("0", None, "system", "", 0, type="root")},
            {"type": "message", "message": node("1", "0", "user", "My barn leaks.", 1)},
            {
                "type": "message",
                "message": node(
                    *("2", "1", "assistant", "", 2),
                    toolCalls=[{"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
                ),
            },
            {"type": "message", "message": node("3", "2", "tool", "wet", 2, toolCallId="c")},
            {"type": "message", "message": node("4", "3", "assistant", "At the door.", 3)},
        ),
        [[("user", "My barn leaks.", 1), ("assistant", "At the door.", 3)]],
        ("role", "content", "timestamp", "parent"),
    ),
    "Cherry Studio": Sample(
        "data.json",
        {
            "indexedDB": {
                "topics": [
                    {
                        "id": "ch1",
                        "messages": [
                            {"id": "1", "role": "user", "createdAt": at(1), "blocks": ["b1"]},
                            {"id": "2", "role": "assistant", "askId": "1", "createdAt": at(2), "blocks": ["b2"]},
                            {
                                "id": "3",
                                "role": "assistant",
                                "askId": "1",
                                "createdAt": at(3),
                                "blocks": ["b3", "b4"],
                                "foldSelected": True,
                            },
                        ],
                    }
                ],
                "message_blocks": [
                    {"id": "b1", "messageId": "1", "type": "main_text", "content": "My cup is blue."},
                    {"id": "b2", "messageId": "2", "type": "main_text", "content": "Nice."},
                    {"id": "b3", "messageId": "3", "type": "thinking", "content": "Blue."},
                    {"id": "b4", "messageId": "3", "type": "main_text", "content": "Light or dark?"},
                ],
            }
        },
        [[("user", "My cup is blue.", 1), ("assistant", "Light or dark?", 3)]],
        ("role", "content", "createdAt", ""),
        ("1 other answer of several models left out",),
    ),
    "Chatbox": Sample(
        "chatbox-exported-data.json",
        {
            "chat-sessions-list": [{"id": "cb1", "name": "Kite"}],
            "session:cb1": {
                "id": "cb1",
                "name": "Kite",
                "messages": [
                    {
                        "id": "1",
                        "role": "user",
                        "timestamp": seconds(1) * 1000,
                        "contentParts": [{"type": "text", "text": "My kite is torn."}],
                    },
                    {
                        "id": "2",
                        "role": "assistant",
                        "timestamp": seconds(2) * 1000,
                        "contentParts": [{"type": "reasoning", "text": "Torn."}, {"type": "text", "text": "Sew it."}],
                    },
                ],
            },
        },
        [[("user", "My kite is torn.", 1), ("assistant", "Sew it.", 2)]],
        ("role", "text", "", ""),
    ),
    "AnythingLLM": Sample(
        "anythingllm.json",
        [
            {"id": 1, "workspace": "Home", "prompt": "My gate is red.", "response": "Since when?", "sent_at": at(1)},
            {"id": 2, "workspace": "Home", "prompt": "Since May.", "response": "Nice.", "sent_at": at(2)},
        ],
        [
            [
                *(("user", "My gate is red.", 1), ("assistant", "Since when?", 1)),
                *(("user", "Since May.", 2), ("assistant", "Nice.", 2)),
            ]
        ],
        ("", "response", "sent_at", ""),
    ),
    "AnythingLLM, CSV": Sample(
        "anythingllm.csv",
        f'id,workspace,prompt,response,sent_at\n"1","Home","My gate is red.","Since when?","{at(1)}"\n',
        [[("user", "My gate is red.", 1), ("assistant", "Since when?", 1)]],
        ("", "", "", ""),
    ),
    "LangSmith": Sample(
        "runs.jsonl",
        (
            {"id": "c", "run_type": "chain", "start_time": at(1), "inputs": {}, "outputs": {}},
            run(3, "My loom is from Vik.", "What do you weave?", "Linen.", answered="It lasts."),
            run(1, "My loom is from Vik.", answered="What do you weave?"),
        ),
        [REPEATED],
        ("", "", "start_time", ""),
        ("1 run other than model calls left out",),
    ),
    "Langfuse": Sample(
        "trace-1.json",
        {
            "id": "tr",
            "sessionId": "t1",
            "timestamp": at(1),
            "input": None,
            "observations": [
                {"type": "SPAN", "traceId": "tr", "startTime": at(1), "input": "x"},
                {
                    "type": "GENERATION",
                    "traceId": "tr",
                    "startTime": at(1),
                    "endTime": at(2),
                    "input": OPENAI[:2],
                    "output": {"role": "assistant", "content": "What do you weave?"},
                },
                {
                    "type": "GENERATION",
                    "id": "o",
                    "traceId": "tr",
                    "startTime": at(3),
                    "input": {"args": ["How long?"]},
                },
                {
                    "type": "GENERATION",
                    "parentObservationId": "o",
                    "traceId": "tr",
                    "startTime": at(3),
                    "endTime": at(4),
                    "input": json.dumps({"messages": OPENAI}),
                    "output": "It lasts.",
                },
            ],
        },
        [LOOM],
        ("type", "", "startTime", ""),
        ("2 observations other than model calls left out",),
    ),
    "Phoenix": Sample(
        "spans.jsonl",
        (phoenix(1, OPENAI[:2], "What do you weave?"), phoenix(3, OPENAI, "It lasts.")),
        [LOOM],
        ("", "", "start_time", ""),
    ),
    "OpenTelemetry GenAI": Sample(
        "otlp.jsonl",
        (
            span(1, ["My loom is from Vik."], "What do you weave?"),
            span(3, ["My loom is from Vik.", "What do you weave?", "Linen."], "It lasts."),
        ),
        [REPEATED],
        ("", "", "startTimeUnixNano", ""),
    ),
    "a gateway's log": Sample(
        "gateway.jsonl",
        (line(1, OPENAI[:2], "What do you weave?"), line(3, OPENAI, "It lasts.")),
        [LOOM],
        ("", "", "", ""),
    ),
    "LangGraph": Sample(
        "state.json",
        {
            "thread_id": "lg",
            "next": [],
            "values": {"messages": [langchain("HumanMessage", "My ox is Bo."), langchain("AIMessage", "Hello Bo.")]},
        },
        [[("user", "My ox is Bo.", None), ("assistant", "Hello Bo.", None)]],
        ("", "", "", ""),
    ),
    "LangGraph, history": Sample(
        "history.json",
        [
            {
                "created_at": at(len(told)),
                "config": {"configurable": {"thread_id": "t1"}},
                "values": {"messages": [langchain(f"{kind}Message", text) for kind, text in told]},
            }
            for told in ((("Human", "My ox is Bo."), ("AI", "Hello Bo.")), (("Human", "My ox is Bo."),), ())
        ],
        [[("user", "My ox is Bo.", 1), ("assistant", "Hello Bo.", 2)]],
        ("", "", "", ""),
    ),
    "Anthropic's API": Sample(
        "anthropic.json",
        {
            "model": "m",
            "max_tokens": 9,
            "system": [{"type": "text", "text": "You sell figs."}],
            "messages": [
                {"role": "user", "content": "Any figs?"},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "t", "name": "stock", "input": {"of": "fig"}}],
                },
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "14"}]},
                {"role": "assistant", "content": [{"type": "text", "text": "Fourteen."}]},
            ],
        },
        [[("system", "You sell figs.", None), ("user", "Any figs?", None), ("assistant", "Fourteen.", None)]],
        ("role", "text", "", ""),
    ),
    "Bedrock's API": Sample(
        "bedrock.json",
        {
            "system": [{"text": "You sell figs."}],
            "messages": [
                {"role": "user", "content": [{"text": "Any figs?"}]},
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "stock", "input": {}}}]},
                {
                    "role": "user",
                    "content": [{"toolResult": {"toolUseId": "t", "content": [{"json": {"figs": 14}}]}}],
                },
                {"role": "assistant", "content": [{"reasoningContent": {}}, {"text": "Fourteen."}]},
            ],
        },
        [[("system", "You sell figs.", None), ("user", "Any figs?", None), ("assistant", "Fourteen.", None)]],
        ("role", "", "", ""),
    ),
    "Gemini's API": Sample(
        "contents.json",
        [
            {"role": "user", "parts": [{"text": "Any figs?"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "stock", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "stock", "response": {"figs": 14}}}]},
            {"role": "model", "parts": [{"text": "Hm", "thought": True}, {"text": "Fourteen."}]},
        ],
        [[("user", "Any figs?", None), ("assistant", "Fourteen.", None)]],
        ("role", "", "", ""),
    ),
    "Gemini's API, request": Sample(
        "request.json",
        {
            "systemInstruction": {"parts": [{"text": "You sell figs."}]},
            "contents": [{"role": "user", "parts": [{"text": "Any figs?"}]}],
        },
        [[("system", "You sell figs.", None), ("user", "Any figs?", None)]],
        ("role", "", "", ""),
    ),
    "AI SDK": Sample(
        "ui.json",
        [
            {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Any figs?"}]},
            {
                "id": "2",
                "role": "assistant",
                "parts": [
                    {"type": "step-start"},
                    {"type": "reasoning", "text": "Hm"},
                    {"type": "tool-stock", "toolCallId": "t", "state": "output-available", "input": {}, "output": 14},
                    {"type": "text", "text": "Fourteen."},
                ],
            },
        ],
        [[("user", "Any figs?", None), ("assistant", "Fourteen.", None)]],
        ("role", "text", "", ""),
    ),
    "ShareGPT": Sample(
        "sharegpt.json",
        [
            {
                "conversations": [
                    {"from": "human", "value": "Any figs?"},
                    {"from": "function_call", "value": '{"name": "stock", "arguments": {"of": "fig"}}'},
                    {"from": "observation", "value": "14"},
                    {"from": "gpt", "value": "Fourteen."},
                ]
            }
        ],
        [[("user", "Any figs?", None), ("assistant", "Fourteen.", None)]],
        ("from", "value", "", ""),
    ),
    "ShareGPT, preference": Sample(
        "dpo.json",
        [
            {
                "conversations": [{"from": "human", "value": "Any figs?"}],
                "rejected": {"from": "gpt", "value": "No."},
                "chosen": {"from": "gpt", "value": "Fourteen."},
            }
        ],
        [[("user", "Any figs?", None), ("assistant", "Fourteen.", None)]],
        ("from", "value", "", ""),
        ("1 other answer left out",),
    ),
    "LLaMA-Factory": Sample(
        "v1.jsonl",
        (
            {
                "messages": [
                    {"role": "user", "content": [{"type": "text", "value": "Any figs?"}]},
                    {
                        "role": "assistant",
                        "content": [
                            {"type": "reasoning", "value": "I look."},
                            {"type": "tool_call", "value": '{"name": "stock", "arguments": {"of": "fig"}}'},
                        ],
                    },
                    {"role": "tool", "content": [{"type": "text", "value": "14"}]},
                    {"role": "assistant", "content": [{"type": "text", "value": "Fourteen."}]},
                ]
            },
        ),
        [[("user", "Any figs?", None), ("assistant", "Fourteen.", None)]],
        ("role", "", "", ""),
    ),
    "OpenAssistant": Sample(
        "trees.jsonl",
        (
            {
                "message_tree_id": "o1",
                "prompt": {
                    "message_id": "o1",
                    "role": "prompter",
                    "text": "What is a fig?",
                    "replies": [
                        {"message_id": "2", "role": "assistant", "text": "A car.", "rank": 1, "replies": []},
                        {"message_id": "3", "role": "assistant", "text": "A fruit.", "rank": 0, "replies": []},
                    ],
                },
            },
        ),
        [[("user", "What is a fig?", None), ("assistant", "A fruit.", None)]],
        ("role", "text", "", ""),
        ("1 other branch left out (FILE:branches=all reads them)",),
    ),
    "WildChat": Sample(
        "wildchat.jsonl",
        (
            {
                "conversation_hash": "w",
                "conversation": [
                    {"role": "user", "content": "What is a fig?", "timestamp": None},
                    {"role": "assistant", "content": "A fruit.", "timestamp": at(2)},
                ],
            },
        ),
        [[("user", "What is a fig?", None), ("assistant", "A fruit.", 2)]],
        ("role", "content", "timestamp", ""),
    ),
    "LMSYS": Sample(
        "lmsys.jsonl",
        (
            {
                "conversation_id": "y",
                "conversation": [{"role": "user", "content": "A fig?"}, {"role": "assistant", "content": "A fruit."}],
            },
        ),
        [[("user", "A fig?", None), ("assistant", "A fruit.", None)]],
        ("role", "content", "", ""),
    ),
    "LMSYS, arena": Sample(
        "arena.jsonl",
        (
            {
                "question_id": "q",
                "winner": "model_b",
                "conversation_a": [{"role": "user", "content": "A fig?"}, {"role": "assistant", "content": "A car."}],
                "conversation_b": [{"role": "user", "content": "A fig?"}, {"role": "assistant", "content": "A fruit."}],
            },
        ),
        [
            [("user", "A fig?", None), ("assistant", "A car.", None)],
            [("user", "A fig?", None), ("assistant", "A fruit.", None)],
        ],
        ("role", "", "", ""),
    ),
    "ChatGPT": Sample(
        "conversations.json",
        [
            {
                "title": "Loom",
                "conversation_id": "cg1",
                "current_node": "5",
                "mapping": {
                    "0": {"id": "0", "parent": None, "children": ["1"], "message": None},
                    "1": chatgpt("1", "0", "user", "My loom is from Vik.", 1),
                    "2": chatgpt("2", "1", "assistant", "Nice.", 2),
                    "3": chatgpt("3", "1", "assistant", 'search("loom")', 2, recipient="web"),
                    "4": chatgpt("4", "3", "assistant", "What do you weave?", 3),
                    "h": chatgpt("h", "4", "user", "Hidden.", 3, metadata={_HIDDEN: True}),
                    "5": chatgpt("5", "h", "user", "Linen.", 4),
                },
            }
        ],
        [[("user", "My loom is from Vik.", 1), ("assistant", "What do you weave?", 3), ("user", "Linen.", 4)]],
        ("role", "parts", "create_time", "parent"),
        ("1 other branch left out (FILE:branches=all reads them)", "left out: 1 tool step"),
    ),
    "Claude.ai": Sample(
        "conversations.json",
        [
            {
                "uuid": "cl1",
                "name": "Shade",
                "chat_messages": [
                    claude_ai("1", "00000000-0000-4000-8000-000000000000", "human", "What likes shade?", 1),
                    claude_ai("2", "1", "assistant", "Roses.", 2),
                    claude_ai("3", "1", "assistant", "Ferns.", 3),
                ],
            }
        ],
        [[("user", "What likes shade?", 1), ("assistant", "Ferns.", 3)]],
        ("sender", "", "created_at", "parent_message_uuid"),
        (
            "1 other branch left out (FILE:branches=all reads them)",
            "the file does not say which branch is shown; the last one is read",
        ),
    ),
    "chat messages": Sample(
        "log.json",
        [one | {"timestamp": at(n)} for n, one in enumerate(OPENAI)],
        [[(one["role"], one["content"], n) for n, one in enumerate(OPENAI)]],
        ("role", "content", "", ""),
    ),
    "chat messages of LangChain": Sample(
        "history.json",
        [
            {"type": "human", "data": {"content": "My ox is Bo.", "type": "human"}},
            {"type": "ai", "data": {"content": "Hello Bo.", "type": "ai"}},
        ],
        [[("user", "My ox is Bo.", None), ("assistant", "Hello Bo.", None)]],
        ("", "content", "", ""),
    ),
    "an object with chat messages": Sample(
        "talk.jsonl",
        ({"id": "t1", "model": "m", "messages": OPENAI}, {"id": "t2", "model": "m", "messages": OPENAI[:2]}),
        [[(one["role"], one["content"], None) for one in OPENAI[:end]] for end in (4, 2)],
        ("role", "content", "", ""),
    ),
    "chat messages of several conversations": Sample(
        "log.jsonl",
        (
            {"session_id": "1", "role": "user", "content": "A fig?", "timestamp": at(1)},
            {"session_id": "2", "role": "user", "content": "A date?", "timestamp": at(2)},
            {"session_id": "1", "role": "assistant", "content": "A fruit.", "timestamp": at(3)},
        ),
        [[("user", "A fig?", 1), ("assistant", "A fruit.", 3)], [("user", "A date?", 2)]],
        ("role", "content", "", ""),
    ),
    "chats": Sample(
        "chats.json",
        {"conversations": [{"id": "a", "messages": OPENAI[:2]}, {"id": "b", "messages": OPENAI[1:3]}]},
        [[(one["role"], one["content"], None) for one in said] for said in (OPENAI[:2], OPENAI[1:3])],
        ("role", "content", "", ""),
    ),
    "OpenAI Assistants": Sample(
        "pages.json",
        [
            {
                "object": "list",
                "data": [
                    {
                        "id": f"m{n}",
                        "thread_id": "th1",
                        "role": role,
                        "created_at": seconds(n),
                        "content": [{"type": "text", "text": {"value": text, "annotations": []}}],
                    }
                    for n, role, text in ((2, "assistant", "Hello Eva."), (1, "user", "My aunt is Eva."))
                ],
            }
        ],
        [[("user", "My aunt is Eva.", 1), ("assistant", "Hello Eva.", 2)]],
        ("role", "content", "created_at", ""),
    ),
    "Langfuse, table": Sample(
        "observations.jsonl",
        tuple(
            {
                "id": f"o{n}",
                "type": "GENERATION",
                "traceId": "tr",
                "sessionId": "t1",
                "startTime": at(n),
                "endTime": at(n + 1),
                "input": asked,
                "output": {"role": "assistant", "content": text},
            }
            for n, asked, text in ((1, OPENAI[:2], "What do you weave?"), (3, OPENAI, "It lasts."))
        ),
        [LOOM],
        ("type", "", "startTime", ""),
    ),
    "Phoenix, page": Sample(
        "spans.json",
        {
            "data": [phoenix(1, OPENAI[:2], "What do you weave?"), phoenix(3, OPENAI, "It lasts.")],
            "next_cursor": None,
        },
        [LOOM],
        ("", "", "start_time", ""),
    ),
    "a gateway's log, line": Sample(
        "call.json",
        line(1, OPENAI[:2], "What do you weave?"),
        [LOOM[:3]],
        ("", "", "", ""),
    ),
    "preference data": Sample(
        "preference.jsonl",
        (
            {
                "input": {"messages": [{"role": "user", "content": "A fig?"}]},
                "non_preferred_output": [{"role": "assistant", "content": "A car."}],
                "preferred_output": [{"role": "assistant", "content": "A fruit."}],
            },
        ),
        [[("user", "A fig?", None), ("assistant", "A fruit.", None)]],
        ("role", "", "", ""),
        ("1 other answer left out",),
    ),
    "preference data, TRL": Sample(
        "preference.jsonl",
        (
            {
                "prompt": "A fig?",
                "chosen": [{"role": "user", "content": "A fig?"}, {"role": "assistant", "content": "A fruit."}],
                "rejected": [{"role": "user", "content": "A fig?"}, {"role": "assistant", "content": "A car."}],
                "messages": [{"role": "user", "content": "A fig?"}, {"role": "assistant", "content": "A fruit."}],
            },
            {
                "prompt": [{"role": "user", "content": "A fig?"}],
                "chosen": [{"role": "assistant", "content": "A fruit."}],
                "rejected": [{"role": "assistant", "content": "A car."}],
            },
            {
                "messages": [{"role": "user", "content": "A fig?"}],
                "chosen": {"role": "assistant", "content": "A fruit."},
                "rejected": {"role": "assistant", "content": "A car."},
            },
        ),
        [[("user", "A fig?", None), ("assistant", "A fruit.", None)]] * 3,
        ("", "", "", ""),
        ("1 other answer left out",),
    ),
}
