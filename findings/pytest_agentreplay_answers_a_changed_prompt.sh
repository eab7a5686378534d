#!/usr/bin/env bash
# pytest-agentreplay 0.2.2: a replay passes with another prompt, another model and another argument of a tool.
#
# Guess: "Catches prompt drift", as its page says: a replay fails if what the model is asked is not what was recorded.
# Seen: Of a request to a model only its being one is compared, and of a call of a tool only the name. The recorded
# answers are given to a program that asks something else, with another model, and looks up something else. It needs
# Python 3.12 or newer.
set -euo pipefail
for python in python3.13 python3.12 python3; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2> /dev/null; then break; fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pytest-agentreplay==0.2.2 openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import agentreplay
import openai

ANSWER = {"role": "assistant", "content": "Oslo."}
REPLY = {
    "id": "1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": ANSWER}],
}
library = openai.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0]  # httpx, or what took its place
http = __import__(library)


@agentreplay.tool
def temperature(city):
    return f"{city}: -17"


def run(mode, model, prompt, city):
    transport = http.MockTransport(lambda request: http.Response(200, json=REPLY))
    client = openai.OpenAI(api_key="none", http_client=http.Client(transport=transport))
    with agentreplay.session(mode=mode, cassette_path="run.jsonl") as session:
        asked = session.wrap_openai(client)
        reply = asked.chat.completions.create(model=model, messages=[{"role": "user", "content": prompt}])
        return reply.choices[0].message.content, temperature(city)


print(run("record", "m", "What is the capital of Norway?", "Oslo"))
print(run("replay", "other", "What is the capital of Sweden?", "Stockholm"))
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "pytest-agentreplay==0.2.2: $found"
[ "$found" = "('Oslo.', 'Oslo: -17')
('Oslo.', 'Oslo: -17')" ]
