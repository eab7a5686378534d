"""Which memory shows what a question needs? Three are compared on a conversation of your own. Needs no key."""

import json
from pathlib import Path

from memzoo import compare
from memzoo.benchmarks import Settings

# It prints:
#   buffer shows 100% of the evidence in 49 tokens
#   window:k=3 shows 0% of the evidence in 19 tokens
#   vector-retriever shows 100% of the evidence in 92 tokens

FLAT = "The flat in Grünerløkka costs 14,000 a month."
SMALL_TALK = ("How are you?", "Is it cold today?", "I had soup for lunch.", "I should call my mother.", "Good night!")

messages = [{"role": "user", "content": FLAT}, {"role": "assistant", "content": "Noted."}]
for said in SMALL_TALK:
    messages += [{"role": "user", "content": said}, {"role": "assistant", "content": "I see."}]
questions = [{"question": "How much is the flat in Grünerløkka?", "answer": "14,000", "evidence": [0]}]
Path("chat.json").write_text(json.dumps({"messages": messages, "questions": questions}), encoding="utf-8")

found = compare("chat.json", ["window:k=3", "buffer", "vector-retriever"], Settings(budgets=[100]))
for row in found.rows:
    of = row.budgets[100]
    if of.covered and not row.memory.baseline:
        print(f"{row.memory.name} shows {of.covered.mean:.0%} of the evidence in {of.tokens_for_a_question:.0f} tokens")
