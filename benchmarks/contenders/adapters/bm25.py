# /// script
# requires-python = ">=3.11"
# dependencies = ["bm25s==0.3.16"]
# [tool.memzoo.ways]
# exchanges = {about = "the exchanges that share the rarest words with the question, up to the budget", source = "https://github.com/xhluca/bm25s#quickstart"}
# ///
"""A BM25 search over the conversation's exchanges, by the package bm25s with its default weights.

Chinese, Japanese and Korean words are split into pairs of neighbouring characters.
"""

import re

import bm25s

WORD = re.compile(r"[^\W\u3040-\u9fff\uac00-\ud7a3]+|[\u3040-\u9fff\uac00-\ud7a3]+")


def terms(text):
    for word in WORD.findall(text.lower()):
        pairs = word[0] >= "\u3040" and len(word) > 2
        yield from (word[place : place + 2] for place in range(len(word) - 1)) if pairs else [word]


class Memory:
    def __init__(self, count_tokens, budget, human_prefix, ai_prefix):
        self.count, self.budget, self.said, self.texts = count_tokens, budget, [], []
        self.names = {"user": human_prefix, "assistant": ai_prefix}

    def save(self, messages, said_at):
        said = [(one["content"] or "", self.names.get(one["role"], one["role"])) for one in messages]
        self.said.append([said_at[:10], said])
        self.texts = []

    def fill(self):
        texts = ["\n".join([day, *(f"{name}: {text}" for text, name in said)]).strip() for day, said in self.said]
        corpus, self.index = [list(terms(text)) for text in texts], bm25s.BM25()
        if any(corpus):
            self.index.index(corpus, show_progress=False)
            self.texts = texts
        return self.texts

    def view(self, question):
        asked = list(set(terms(question)))
        if not (asked and (self.texts or self.fill())):
            return []
        texts, scores = self.texts, self.index.get_scores(asked)
        chosen, left = [], self.budget
        for place in sorted(range(len(texts)), key=lambda one: -scores[one]):
            if scores[place] > 0 and (cost := self.count(texts[place] + "\n")) <= left:
                chosen.append(place)
                left -= cost
        return [{"role": "system", "content": "\n".join(texts[one] for one in sorted(chosen))}] if chosen else []

    def delete(self, texts):
        self.said = [[day, [one for one in said if one[0] not in texts]] for day, said in self.said]
        self.texts = []
