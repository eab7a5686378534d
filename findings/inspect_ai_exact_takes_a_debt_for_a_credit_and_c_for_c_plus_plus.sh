#!/usr/bin/env bash
# inspect-ai 0.3.285: its scorers `exact` and `match(location="exact")` give full marks for -5 where 5 is right, and for
# "C" where C++ is.
#
# Guess: Of the scorers, these are the strict ones: capitals and spaces do not count, and otherwise the answer is the
# target. So they suit a balance, a temperature or the name of a language.
# Seen: Punctuation goes first, the sign with it: -5 is 5, and a debt of 250 a credit of 250. "C", "C++" and "C#" are
# one language. `exact` also takes 1,5 for 15, and "we're" for "were", and `f1` gives 1.0 to all of them. With
# `numeric=True`, `match` tells -5 from 5, and takes C for C++ and 1,5 for 15. (The page of scorers says of `exact` that
# it normalizes the text; the lost point of "(3.14)" was issue 4620, closed.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check inspect-ai==0.3.285
cat > "$folder/program.py" <<'PROGRAM'
import asyncio

from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Target, exact, f1, match
from inspect_ai.solver import TaskState

answers = [("-5", "5"), ("-250 €", "250 €"), ("C", "C++"), ("C#", "C++"), ("1,5", "15"), ("We're", "were")]
answers += [("6", "5"), ("1.5", "15")]
scorers = [exact(), f1(), match(location="exact"), match(location="exact", numeric=True)]


async def main():
    for answer, target in answers:
        output = ModelOutput.from_content("model", answer)
        state = TaskState(ModelName("mockllm/model"), 1, 1, "Question", [], output=output)
        marks = [(await scorer(state, Target(target))).value for scorer in scorers]
        print(answer, "for", target, *marks)


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "inspect-ai==0.3.285: $found"
[ "$found" = "-5 for 5 C 1.0 C I
-250 € for 250 € C 1.0 C I
C for C++ C 1.0 C C
C# for C++ C 1.0 C C
1,5 for 15 C 1.0 I C
We're for were C 1.0 I I
6 for 5 I 0.0 I I
1.5 for 15 I 0.0 I I" ]
