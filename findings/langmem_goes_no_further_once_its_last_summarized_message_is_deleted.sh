#!/usr/bin/env bash
# langmem 0.0.30: after one message is deleted that its summary ends with, each later turn is an error.
#
# Guess: What has been summarized may leave the history, one message or all of them, as a user asks to forget it; the
# summary stands in for it, and only newer messages are still looked at.
# Seen: The place where the summary ends is found by the last message that it covers. If that one alone was deleted, the
# rest counts as new, and `summarize_messages` raises an error that calls another message summarized already. If any
# other one was deleted, or all of them, it goes on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langmem==0.0.30 langchain-core==1.8.3
cat > "$folder/program.py" <<'PROGRAM'
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langmem.short_term import summarize_messages

words = ["I am Ann.", "Hello Ann.", "I live in Oslo.", "Noted.", "Where do I live?"]
history = [(AIMessage if n % 2 else HumanMessage)(text, id=str(n + 1)) for n, text in enumerate(words)]


def view(messages, summary):
    model = FakeListChatModel(responses=["Ann lives in Oslo."])
    limits = {"max_tokens": 30, "max_tokens_before_summary": 25, "max_summary_tokens": 5}
    return summarize_messages(messages, running_summary=summary, model=model, token_counter=tokens, **limits)


def tokens(messages):
    return 10 * len(messages)


summary = view(history, None).running_summary
print("summarized:", *sorted(summary.summarized_message_ids))
for gone in ("1", "2", "3", "123"):
    try:
        seen = view([message for message in history if message.id not in gone], summary).messages
        print(f"without {gone}:", *[message.content for message in seen[1:]])
    except ValueError as error:
        print(f"without {gone}:", error)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langmem==0.0.30:" $found
[ "$found" = "summarized: 1 2 3
without 1: Noted. Where do I live?
without 2: Noted. Where do I live?
without 3: Message with ID 1 has already been summarized.
without 123: Noted. Where do I live?" ]
