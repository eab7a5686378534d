#!/usr/bin/env bash
# openai 3.57.0: the client's own accumulator of streams damages what reasoning models send.
#
# Guess: `ChatCompletionStreamState` puts a stream together to the message that the same endpoint sends in one piece.
# Seen: Names that come with each piece of `reasoning_details` (OpenRouter's `format`) are joined like words; details
# without an index, and calls without one (Gemini), end in an error; text that stands in a member is joined rightly.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
from openai._models import construct_type
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk


def put_together(*deltas):
    """The message of a stream of these deltas, or the error."""
    state = ChatCompletionStreamState()
    try:
        for delta in ({"role": "assistant", "content": ""}, *deltas):
            choices = [{"index": 0, "delta": delta, "finish_reason": None}]
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}
            state.handle_chunk(construct_type(type_=ChatCompletionChunk, value=chunk))  # as the client makes it
    except Exception as error:
        return type(error).__name__
    return state.current_completion_snapshot.choices[0].message.model_extra


def detail(**more):
    return {"reasoning_details": [{"type": "reasoning.text", **more}]}


call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
print(put_together({"reasoning_content": "Hm"}, {"reasoning_content": "m."}))
print(put_together(detail(index=0, text="Hm", format="f-1"), detail(index=0, text="m.", format="f-1")))
print(put_together(detail(text="Hm"), detail(text="m.")))
print(put_together({"tool_calls": [call]}))
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "openai==3.57.0: $found"
[ "$found" = "{'reasoning_content': 'Hmm.'}
{'reasoning_details': [{'type': 'reasoning.text', 'index': 0, 'text': 'Hmm.', 'format': 'f-1f-1'}]}
RuntimeError
TypeError" ]
