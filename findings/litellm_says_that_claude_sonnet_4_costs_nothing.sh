#!/usr/bin/env bash
# litellm 1.110.2 beside genai-prices 0.2.3: a conversation with Claude Sonnet 4 costs nothing, and never uses up a
# budget.
#
# Guess: A model that is missing from the price table is an error, as litellm says of Claude 3 Opus, which is gone from
# the table. A program that adds up its costs then notices the missing price.
# Seen: A newer name of a known family that is not in the table costs 0.0, without an error. This happens with
# `claude-sonnet-4-20250514`, which is gone from the table too, with `gemini-3-pro-preview`, and with a model that does
# not exist. A user whose questions cost 60 cents has spent none of a budget of 50 cents. genai-prices knows the prices
# of the first two, and raises an error for the third.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check litellm==1.110.2 genai-prices==0.2.3
cat > "$folder/program.py" <<'PROGRAM'
import genai_prices
import litellm
from litellm.budget_manager import BudgetManager

litellm.suppress_debug_info = True
tokens_in, tokens_out = 100_000, 20_000
for provider, model in (
    ("anthropic", "claude-sonnet-4-5-20250929"),
    ("anthropic", "claude-sonnet-4-20250514"),
    ("anthropic", "claude-3-opus-20240229"),
    ("gemini", "gemini-3-pro-preview"),
    ("anthropic", "claude-sonnet-99"),
):
    try:
        said = sum(litellm.cost_per_token(f"{provider}/{model}", tokens_in, tokens_out))
    except litellm.ModelNotMappedError as error:
        said = type(error).__name__
    usage = genai_prices.Usage(input_tokens=tokens_in, output_tokens=tokens_out)
    try:
        known = genai_prices.calc_price(usage, model).total_price
    except LookupError as error:
        known = type(error).__name__
    print(f"{model}: {said} {known}")
budget = BudgetManager("chat", client_type="local")
budget.create_budget(0.5, "ann")
usage = litellm.Usage(prompt_tokens=tokens_in, completion_tokens=tokens_out, total_tokens=tokens_in + tokens_out)
budget.update_cost("ann", litellm.ModelResponse(model="claude-sonnet-4-20250514", usage=usage))
print("spent:", budget.get_current_cost("ann"))
PROGRAM
cd "$folder"
export LITELLM_LOCAL_MODEL_COST_MAP=True
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "litellm==1.110.2, genai-prices==0.2.3:" $found
[ "$found" = "claude-sonnet-4-5-20250929: 0.6 0.60
claude-sonnet-4-20250514: 0.0 0.60
claude-3-opus-20240229: ModelNotMappedError 3.00
gemini-3-pro-preview: 0.0 0.44
claude-sonnet-99: 0.0 LookupError
spent: 0.0" ]
