#!/usr/bin/env bash
# mistral-common 1.13.1: at each turn the tool definitions move to the newest question, so the model reads them anew,
# and a prefix cache does not help.
#
# Guess: The unchanging parts come first: the system prompt, then the tools, then the conversation. The prompt of a turn
# begins with the prompt of the turn before, so a server that keeps prefixes has all but the last exchange.
# Seen: The tools stand just before the user's last question, so each turn has them in another place. Only the part of
# the old prompt that stood before its tools is found again. Forty tools have 3,473 tokens; with them, 3,489 of 3,656
# tokens are read anew in the third turn, and without tools 11. In version 3, the system prompt moves too, so even
# without tools most of the prompt is read anew; in version 7, it stands first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mistral-common==1.13.1 sentencepiece==0.2.3
cat > "$folder/program.py" <<'PROGRAM'
from mistral_common.protocol.instruct.messages import AssistantMessage, SystemMessage, UserMessage
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.tool_calls import Function, Tool
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

city = {"type": "string", "description": "The city that is meant, as the user wrote it, without its country."}
schema = {"type": "object", "properties": {"city": city, "day": city | {"description": "The day, as a number."}}}
tools = [Tool(function=Function(name=f"find_{number}", description="", parameters=schema)) for number in range(40)]
talk = [SystemMessage(content="Be brief. " * 50)]
turns = [("Where is Ann?", "Ann is in Oslo."), ("And Bob?", "Bob is in Rome."), ("And Cy?", "Cy is in Lima.")]

for name, tokenizer in (("3", MistralTokenizer.v3(is_tekken=True)), ("7", MistralTokenizer.v7())):
    for offered in ([], tools):
        before, anew, messages = [], [], talk.copy()
        for question, answer in turns:
            messages.append(UserMessage(content=question))
            tokens = tokenizer.encode_chat_completion(ChatCompletionRequest(messages=messages, tools=offered)).tokens
            same = next((at for at, pair in enumerate(zip(before, tokens)) if len(set(pair)) > 1), len(before))
            anew.append(len(tokens) - same)
            before = tokens
            messages.append(AssistantMessage(content=answer))
        print(f"version {name}, {len(offered)} tools: {len(tokens)} tokens, read anew at each turn: {anew}")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "mistral-common==1.13.1:" $found
[ "$found" = "version 3, 0 tools: 181 tokens, read anew at each turn: [159, 168, 167]
version 3, 40 tools: 3614 tokens, read anew at each turn: [3592, 3602, 3601]
version 7, 0 tools: 183 tokens, read anew at each turn: [160, 12, 11]
version 7, 40 tools: 3656 tokens, read anew at each turn: [3633, 3491, 3489]" ]
