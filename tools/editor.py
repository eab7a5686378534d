"""Asks pyright for the texts that an editor shows about options: `python -m tools.editor`.

Fails unless pyright accepts README's snippet, reports a wrong option name and a wrong type as errors, and shows each
option's type, default and meaning on hover.
"""

import json
import re
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import IO, Any, cast

_ROOT = Path(__file__).resolve().parent.parent
_README = (_ROOT / "README.md").read_text(encoding="utf-8")
# Up to the end of the call that makes the memory.
_SNIPPET = re.findall(r"^```python\n(.*?^\)\n)", _README, re.DOTALL | re.MULTILINE)[0]
_MADE = 'llm="offline",'
_WRONG = {"a wrong name": "max_tokns=300,", "a wrong type": 'k="three",', "a name of others": "mine_ai=True,"}
_HOVERS = {
    "max_token_limit=300": (
        "max_token_limit: str | int | None",
        "`entity`: Token limit for all notes together",
        "Default: `1000`",
    ),
    "human_prefix='Me'": ("human_prefix: str", "label in a transcript", "Default: `'Human'`"),
    "learn='later'": ("learn: Literal['now', 'background', 'later']", "When to learn", "Default: `'now'`"),
}


def main() -> int:
    """Print pyright's findings, and return the exit code: 0 if all expectations are met."""
    with tempfile.TemporaryDirectory(dir=_ROOT, prefix=".editor-") as folder:
        settings = {"extraPaths": [str(_ROOT)], "typeCheckingMode": "standard", "pythonVersion": "3.11"}
        settings |= {"venvPath": str(Path(sys.prefix).parent), "venv": Path(sys.prefix).name}
        (Path(folder) / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        variants = {"README": _MADE} | {name: f"{_MADE} {wrong}" for name, wrong in _WRONG.items()}
        for name, made in variants.items():
            (Path(folder) / f"{name}.py").write_text(_SNIPPET.replace(_MADE, made, 1), encoding="utf-8")
        command = [sys.executable, "-m", "pyright", "--outputjson", "-p", folder]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
        errors = {Path(one["file"]).stem: one["message"] for one in reversed(found["generalDiagnostics"])}
        says = [(name, errors.get(name, "no error"), (name in errors) == (name in _WRONG)) for name in variants]
        hovers = _hover(Path(folder) / "hover.py", _SNIPPET.replace(_MADE, f"{_MADE} {', '.join(_HOVERS)},", 1))
        says += [(name, text, all(one in text for one in _HOVERS[name])) for name, text in hovers.items()]
    for name, text, is_enough in says:
        print("good" if is_enough else "BAD ", f"{name}:", " ".join(text.split()))  # noqa: T201
    return int(not all(is_enough for *_, is_enough in says))


def _hover(file: Path, text: str) -> dict[str, str]:
    """Return the text that the language server shows for each option in a source text."""
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pyright.langserver", "--stdio"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        given, told = cast("IO[bytes]", server.stdin), cast("IO[bytes]", server.stdout)
        numbers = count()

        def send(**message: object) -> None:
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            given.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            given.flush()

        def ask(method: str, **params: object) -> Any:
            send(method=method, params=params, id=(number := next(numbers)))
            while (answer := _read(told)).get("id") != number or "method" in answer:
                if "method" in answer and "id" in answer:  # the server asks for settings, which are in the file
                    send(id=answer["id"], result=None)
            return answer["result"]

        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": text}
        root = {"uri": file.parent.as_uri(), "name": "snippets"}
        ask("initialize", processId=None, rootUri=root["uri"], workspaceFolders=[root], capabilities={})
        send(method="initialized", params={})
        send(method="textDocument/didOpen", params={"textDocument": document})
        shown = dict[str, str]()
        for option in _HOVERS:
            before = text[: text.index(option)]
            place = {"line": before.count("\n"), "character": len(before) - before.rfind("\n")}
            answer = ask("textDocument/hover", textDocument={"uri": file.as_uri()}, position=place)
            shown[option] = answer["contents"]["value"] if answer else ""
        server.kill()
    return shown


def _read(stream: IO[bytes]) -> dict[str, Any]:
    """Return the next message from the language server."""
    size = 0
    while line := stream.readline().strip():
        if line.lower().startswith(b"content-length:"):
            size = int(line.split(b":")[1])
    return json.loads(stream.read(size))


if __name__ == "__main__":
    sys.exit(main())
