#!/usr/bin/env bash
# aider-chat 0.86.2: when a chat is restored, the model's level-four headings become the user's words, and its
# quotations, its titles and the comments in its code are missing.
#
# Guess: With `--restore-chat-history`, the model is sent the last session as the file has it, with each message under
# its own speaker. Words that look like one of the file's marks are escaped, or such marks do not count in an answer.
# Seen: The file is Markdown without escapes: "####" begins a line of the user, ">" one of a tool, and "#" a session. An
# answer in Markdown has the same marks. So "#### Ask me first" becomes the user's own wish. "> Never above 300
# degrees." and each line of code that begins with "# " are dropped, as if the model had not said them. The rest of the
# answer is in three pieces, two of them in a row.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps aider-chat==0.86.2
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check oslex==0.1.3 packaging==26.0 prompt-toolkit==3.0.52 \
    pygments==2.19.2 rich==14.3.2
cat > "$folder/program.py" <<'PROGRAM'
import contextlib
import io

from aider.io import InputOutput
from aider.utils import split_chat_history_markdown

answer = """# Bread

Knead it.

#### Ask me first

Shall I bake?

> Never above 300 degrees.

```python
# Twenty minutes.
bake(20)
```"""
with contextlib.redirect_stdout(io.StringIO()):
    session = InputOutput(pretty=False, chat_history_file="history.md")
session.user_input("How do I bake?")
session.ai_output(answer)
for message in split_chat_history_markdown(open("history.md").read()):
    print(message["role"].upper(), " ".join(message["content"].split()))
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py < /dev/null)
echo "aider-chat==0.86.2:" $found
[ "$found" = 'USER How do I bake?
ASSISTANT Knead it.
USER Ask me first
ASSISTANT Shall I bake?
ASSISTANT ```python bake(20) ```' ]
