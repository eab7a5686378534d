#!/usr/bin/env bash
# semantic-kernel 1.45.0: `use_single_summary=False` keeps every summary, except in a history with a system message.
#
# Guess: with `use_single_summary=False`, a summarizing history keeps its summaries and adds one for what leaves next,
# with a system message or without.
# Seen: Summaries are looked for at the head of the history, where the system message stands. So they pass for talk:
# each is summarized again with the next messages, and there is never more than one. After five turns the first words
# have been summarized four times, and once where there is no system message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check semantic-kernel==1.45.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio

from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.connectors.ai.prompt_execution_settings import PromptExecutionSettings
from semantic_kernel.contents import ChatHistorySummarizationReducer, ChatMessageContent


class Summarizer(ChatCompletionClientBase):
    """Names the messages that it was given, without the instruction at their end."""

    def get_prompt_execution_settings_class(self):
        return PromptExecutionSettings

    async def _inner_get_chat_message_contents(self, chat_history, settings):
        given = " ".join(message.content for message in chat_history.messages[:-1])
        return [ChatMessageContent(role="assistant", content=f"({given})")]


async def talk(system_message):
    history = ChatHistorySummarizationReducer(
        service=Summarizer(ai_model_id="m"), target_count=2, threshold_count=2, use_single_summary=False
    )
    if system_message:
        history.add_system_message(system_message)
    for turn in range(1, 6):
        history.add_user_message(f"q{turn}")
        history.add_assistant_message(f"a{turn}")
        await history.reduce()
    print([message.content for message in history.messages])


asyncio.run(talk(None))
asyncio.run(talk("Be kind."))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "semantic-kernel==1.45.0: $found"
[ "$found" = "['(q1 a1 q2 a2)', '(q3 a3 q4 a4)', 'q5', 'a5']
['Be kind.', '((((q1 a1) q2 a2) q3 a3) q4 a4)', 'q5', 'a5']" ]
