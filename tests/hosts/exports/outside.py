"""What `memzoo export --as` writes is read by programs of others: `python -m tests.hosts.exports.outside PYTHON`.

PYTHON is an interpreter of 3.12 or newer, in whose new environment, in a temporary folder, the programs are installed.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memzoo.cli.chat_files import WRITERS
from memzoo.stores import Entry, Message

PACKAGES = ("convoviz==0.7.6", "convmerge==1.6.5", "langchain-core==1.1.0", "markdown-it-py==4.0.0")
CALL: dict[str, Any] = {
    "id": "c",
    "type": "function",
    "function": {"name": "stock", "arguments": '{"of": "fig"}'},
}
SAID: Sequence[Message] = (
    {"role": "system", "content": "You sell figs."},
    {"role": "user", "content": "Any figs?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "14"},
    {"role": "assistant", "content": "Fourteen.\n### Fresh"},
    {"role": "user", "content": "All."},
    {"role": "assistant", "content": "Sold."},
)
LANGCHAIN = """
import json, langchain_core.messages as messages
for one in messages.convert_to_messages(json.load(open("openai.json"))): print(one.type, one.content)
"""
HEADINGS = """
import markdown_it
tokens = markdown_it.MarkdownIt().parse(open("markdown.md").read())
for one, next_one in zip(tokens, tokens[1:]):
    if one.type == "heading_open": print(next_one.content)
"""


def main(python: str) -> None:
    """Write the conversation in each form, and say what each program makes of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        entries = [Entry(n, one, "t", datetime(2026, 3, 2, 9, n, tzinfo=UTC)) for n, one in enumerate(SAID, start=1)]
        for form, write in WRITERS.items():
            suffix = "md" if form == "markdown" else "json"
            (folder / f"{form}.{suffix}").write_text("".join(write("figs", entries)), encoding="utf-8")

        def run(*command: str) -> str:
            return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout

        run(python, "-m", "venv", "env")
        run("env/bin/pip", "install", "--quiet", *PACKAGES)
        run("env/bin/convoviz", "-z", "chatgpt.json", "-o", "out", "--outputs", "markdown", "-I")
        [page] = (folder / "out").rglob("figs.md")
        assert [word in page.read_text() for word in ("Any figs?", "Fourteen.", "Sold.")] == [True] * 3
        sys.stdout.write(f"chatgpt: {PACKAGES[0]} wrote {page.name} with each turn\n")
        run("env/bin/convmerge", "normalize", "-i", "sharegpt.json", "-o", "lines.jsonl")
        run("env/bin/convmerge", "convert", "-i", "lines.jsonl", "-o", "messages.jsonl", "--from", "sharegpt")
        assert json.loads(run("env/bin/convmerge", "validate", "-i", "messages.jsonl"))["valid"] == 1
        roles = [one["role"] for one in json.loads((folder / "messages.jsonl").read_text())["messages"]]
        assert roles == [one["role"] for one in SAID]
        sys.stdout.write(f"sharegpt: {PACKAGES[1]} has the roles {', '.join(roles)}\n")
        told = run("env/bin/python", "-c", LANGCHAIN).split("\n")
        assert told[:2] == ["system You sell figs.", "human Any figs?"]
        sys.stdout.write(f"openai: {PACKAGES[2]} has {len(SAID)} messages\n")
        headings = run("env/bin/python", "-c", HEADINGS).split()
        assert headings == ["TOOL" if "tool_calls" in one else one["role"].upper() for one in SAID]
        sys.stdout.write(f"markdown: {PACKAGES[3]} has the headings {', '.join(headings)}\n")


if __name__ == "__main__":
    main(sys.argv[1])
