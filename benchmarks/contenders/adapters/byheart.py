# /// script
# requires-python = ">=3.11"
# dependencies = ["yait-byheart==0.1.1"]
# [tool.memzoo.ways]
# memory = {about = "the stretches of talk that fit the question, kept still while they still fit", source = "https://pypi.org/project/yait-byheart/0.1.1/", remarks = {"answers" = "#the-last-subject-for-the-next-question"}}
# ///
"""byheart's `Memory` with its default settings. The memory gets only texts, no tool results."""

from yait_byheart import Memory as ByHeart


class Memory:
    def __init__(self, count_tokens, budget, human_prefix, ai_prefix):
        self.count, self.tokens = count_tokens, budget
        self.memory = ByHeart(budget=4 * budget)  # in characters; its page reckons four a token

    def save(self, messages, said_at):
        for one in messages:
            if one["role"] in ("user", "assistant") and one["content"]:
                self.memory.append(one["role"], one["content"], when=said_at[:10])

    def view(self, question):
        said = "\n".join(one["text"] for one in self.memory.turns)
        if said:  # four a token suit English; the talk's own share suits every language
            self.memory.budget = self.tokens * len(said) // self.count(said)
        found = self.memory.compose(question)["messages"][:-1]  # the last is the question
        return [{"role": one["role"], "content": one["parts"][0]["text"]} for one in found]

    def delete(self, texts):
        for place, one in enumerate(self.memory.turns):
            if one["text"] in texts:
                self.memory.redact(place)
