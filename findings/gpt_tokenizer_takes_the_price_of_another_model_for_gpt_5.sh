#!/usr/bin/env bash
# gpt-tokenizer 4.0.0 beside ai-tokenizer 1.0.6 (npm) and genai-prices 0.2.3 (PyPI): questions to gpt-5 cost eight times
# too much.
#
# Guess: `estimateCost` of "gpt-tokenizer/model/gpt-5" takes the price of gpt-5, or, if the library does not know it,
# raises an error, as it does for gpt-5-mini: "No cost information available".
# Seen: gpt-5, gpt-4.1 and gpt-4o have the price of gpt-4-turbo, and o3 has that of o1, as if they were of that family.
# The two others agree with each other on all of them. So a plan is eight times too dear for gpt-5 and four times for
# gpt-4o, and a choice between them by cost is one between equals.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check genai-prices==0.2.3
npm install --silent --no-fund --no-audit --legacy-peer-deps gpt-tokenizer@4.0.0 ai-tokenizer@1.0.6 > /dev/null
cat > program.mjs <<'PROGRAM'
import { models } from "ai-tokenizer";

const names = ["gpt-4-turbo", "gpt-4o", "gpt-4.1", "gpt-5", "o1", "o3", "gpt-5-mini"];
const cost = async (name) => {
  const { estimateCost } = (await import(`gpt-tokenizer/model/${name}`)).default;
  try {
    const { main } = estimateCost(1_000_000);
    return `${main.input}/${main.output}`;
  } catch (error) {
    return error.message.startsWith("No cost information") ? "unknown" : error;
  }
};
console.log("gpt-tokenizer:", ...(await Promise.all(names.map(cost))));
const perMillion = (price) => Number((price * 1_000_000).toFixed(3));
const prices = names.map((name) => models[`openai/${name}`].pricing);
console.log("ai-tokenizer:", ...prices.map(({ input, output }) => `${perMillion(input)}/${perMillion(output)}`));
PROGRAM
cat > program.py <<'PROGRAM'
from genai_prices import Usage, calc_price

NAMES = ("gpt-4-turbo", "gpt-4o", "gpt-4.1", "gpt-5", "o1", "o3", "gpt-5-mini")


def cost(name):
    kinds = (Usage(input_tokens=1_000_000, output_tokens=0), Usage(input_tokens=0, output_tokens=1_000_000))
    prices = [calc_price(usage, model_ref=name, provider_id="openai").total_price for usage in kinds]
    return "/".join(f"{float(price):g}" for price in prices)


print("genai-prices:", *map(cost, NAMES))
PROGRAM
found=$(node program.mjs && venv/bin/python -W ignore program.py)
echo "gpt-tokenizer@4.0.0, for a million tokens in and out:" $found
[ "$found" = "gpt-tokenizer: 10/30 10/30 10/30 10/30 15/60 15/60 unknown
ai-tokenizer: 10/30 2.5/10 2/8 1.25/10 15/60 2/8 0.25/2
genai-prices: 10/30 2.5/10 2/8 1.25/10 15/60 2/8 0.25/2" ]
