#!/usr/bin/env bash
# opentelemetry-instrumentation-openai-v2 2.4b0, installed with the versions that its own requirements choose, cannot be
# imported.
#
# Guess: The newest instrumentation of OpenAI, installed alone, works: all its parts are by OpenTelemetry, and pip
# reports no conflict.
# Seen: It takes any opentelemetry-util-genai from 0.4b0 on, and imports `opentelemetry.util.genai.instruments`, which
# 1.2b0 and 1.3b0 have no more. With 1.1b0 it works, but opentelemetry-instrumentation-google-genai 1.3b0 requires 1.3b0
# at least: so no installation traces both OpenAI and Gemini with their newest versions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
install() { "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "$@"; }
echo 'import opentelemetry.instrumentation.openai_v2; print("imported")' > "$folder/imports.py"
tries() { { "$folder/venv/bin/python" -W ignore "$folder/imports.py" 2>&1 || true; } | tail -n 1; }
install opentelemetry-instrumentation-openai-v2==2.4b0 opentelemetry-util-genai==1.3b0 opentelemetry-api==1.45.2 \
    opentelemetry-instrumentation==0.66b2 opentelemetry-semantic-conventions==0.66b2 openai==2.54.0 httpx==0.28.1
checked=$("$folder/venv/bin/pip" check --disable-pip-version-check)
newest=$(tries)
install opentelemetry-util-genai==1.1b0
older=$(tries)
echo "opentelemetry-instrumentation-openai-v2==2.4b0: $checked $newest; with 1.1b0: $older"
[ "$checked" = "No broken requirements found." ]
[ "$newest" = "ModuleNotFoundError: No module named 'opentelemetry.util.genai.instruments'" ]
[ "$older" = "imported" ]
