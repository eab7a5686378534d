#!/usr/bin/env bash
# litellm 1.110.2: `token_counter` counts a PDF of any length as about 90 tokens, so `trim_messages` leaves a talk that
# no model can read.
#
# Guess: A file is counted by its size or its pages, or refused as uncountable, as audio is; near the limit, either errs
# on the safe side.
# Seen: A PDF of one page and one of two hundred have 92 or 93 tokens each, about those of a small picture. The words of
# the two hundred pages are 120,000 as a text. So a talk with ten such files fits into 8,000 tokens, and is left whole.
# (Before, a file was an error: issue 28409.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check litellm==1.110.2 fpdf2==2.8.9
cat > "$folder/program.py" <<'PROGRAM'
from base64 import b64encode

from fpdf import FPDF
from litellm import token_counter
from litellm.utils import trim_messages

page = "Ann moved to Oslo, and Bob stayed in Rome with his two cats. " * 40


def file(pages):
    pdf = FPDF()
    pdf.set_font("Helvetica", size=10)
    for _ in range(pages):
        pdf.add_page()
        pdf.multi_cell(0, 5, page)
    data = f"data:application/pdf;base64,{b64encode(bytes(pdf.output())).decode()}"
    return {"role": "user", "content": [{"type": "file", "file": {"filename": "diary.pdf", "file_data": data}}]}


question = {"role": "user", "content": "Where does Ann live?"}
for model in ("gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"):
    base = token_counter(model=model, messages=[question])
    counts = [token_counter(model=model, messages=[message, question]) - base for message in (file(1), file(200))]
    text = token_counter(model=model, messages=[{"role": "user", "content": page * 200}])
    print(model, *counts, "as a text:", f"{text:,}")
talk = [file(200)] * 10 + [question]
print("left whole:", trim_messages(talk, model="gpt-5", max_tokens=8000) == talk)
PROGRAM
found=$(LITELLM_LOCAL_MODEL_COST_MAP=True "$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "litellm==1.110.2: $found"
[ "$found" = "gpt-5 92 92 as a text: 120,420
claude-sonnet-4-5 93 93 as a text: 120,008
gemini-2.5-pro 92 92 as a text: 120,428
left whole: True" ]
