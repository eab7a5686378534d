#!/usr/bin/env bash
# limits 5.8.0 (of slowapi and Flask-Limiter): a long question that is refused uses up the tokens of the short ones.
#
# Guess: There is a budget of 10,000 tokens a day, from which `hit` takes the cost of each question. A question that
# does not fit is refused and costs nothing, as no model was asked; the strategies differ only in how they measure the
# day.
# Seen: With a fixed window, the counter takes the cost first and compares afterwards. After one refused question of
# 12,000 tokens, nothing remains of 9,000, and each short question is refused until the window is over. A loop that
# retries with less and less context until it fits ends without an answer. With a moving window or a sliding counter, a
# refused question costs nothing. (The README says that all requests in a fixed window increment the counter.) A call of
# `test` before each `hit` helps the fixed window too, if no two questions come at once.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check limits==5.8.0
cat > "$folder/program.py" <<'PROGRAM'
from limits import RateLimitItemPerDay, storage, strategies

budget = RateLimitItemPerDay(10_000)
for kind in (
    strategies.FixedWindowRateLimiter,
    strategies.MovingWindowRateLimiter,
    strategies.SlidingWindowCounterRateLimiter,
):
    limiter = kind(storage.MemoryStorage())
    asked = [limiter.hit(budget, "ann", cost=tokens) for tokens in (1_000, 12_000, 6_000, 10)]
    print(kind.__name__, *asked, limiter.get_window_stats(budget, "ann").remaining)
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "limits==5.8.0:" $found
[ "$found" = "FixedWindowRateLimiter True False False False 0
MovingWindowRateLimiter True False True True 2990
SlidingWindowCounterRateLimiter True False True True 2990" ]
