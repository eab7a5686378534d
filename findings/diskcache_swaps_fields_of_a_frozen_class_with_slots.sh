#!/usr/bin/env bash
# diskcache 5.6.3 (the cache of DSPy and others): a cached result comes back with two of its fields exchanged.
#
# Guess: A pickled dataclass keeps its values by the names of its fields. After a release that lists the fields in
# another order, a cached price has its amount in `amount`, as it has for a class without slots or without frozen=True.
# Seen: Only frozen=True with slots=True is pickled as a list of values without names. Its values move to the fields that
# have their places now: amount and days are exchanged without an error, and a renamed field takes any value.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check diskcache==5.6.3
cat > "$folder/program.py" <<'PROGRAM'
import sys
from pathlib import Path

from diskcache import Cache

folder = sys.argv[1]
kinds = {"frozen": "frozen=True", "slots": "slots=True", "both": "frozen=True, slots=True"}
orders = ("amount: int\n    days: int", "days: int\n    amount: int")
sys.path.insert(0, folder)
old, new = (
    "from dataclasses import dataclass\n"
    + "".join(f"@dataclass({options})\nclass {name.title()}:\n    {fields}\n" for name, options in kinds.items())
    for fields in orders
)
if sys.argv[2] == "store":
    Path(folder, "prices.py").write_text(old)
    import prices

    with Cache(f"{folder}/cache") as cache:
        for name in kinds:
            cache[name] = getattr(prices, name.title())(amount=500, days=2)
else:
    Path(folder, "prices.py").write_text(new)
    with Cache(f"{folder}/cache") as cache:
        print("; ".join(f"{name}: amount {cache[name].amount}, days {cache[name].days}" for name in kinds))
PROGRAM
mkdir "$folder/data"
export PYTHONDONTWRITEBYTECODE=1
"$folder/venv/bin/python" "$folder/program.py" "$folder/data" store
found=$("$folder/venv/bin/python" "$folder/program.py" "$folder/data" load)
echo "diskcache==5.6.3: $found"
[ "$found" = "frozen: amount 500, days 2; slots: amount 500, days 2; both: amount 2, days 500" ]
