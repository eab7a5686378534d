"""Lets a model answer a question from a memory's view, and a judge mark the answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from memzoo.benchmarks.outcomes import Sum
from memzoo.benchmarks.transcripts.conversations import Question, Transcript
from memzoo.errors import ModelError
from memzoo.memories import Model
from memzoo.prompts import PromptSet
from memzoo.stores import Message
from memzoo.strategy import text_of
from memzoo.sync import drive


@dataclass(frozen=True, slots=True)
class Opinion:
    """A model's answer to a question, and the judge's mark for it.

    Attributes:
        reply: The answer; "" if the model failed or the question has no right answer.
        right: True if the judge marked the answer as right; `None` without a mark.
        spent: The calls and tokens of answering and judging.
    """

    reply: str
    right: bool | None
    spent: Sum


class Judge:
    """Two models: one answers questions, and the other marks the answers as right or wrong."""

    def __init__(self, answering: Model, judging: Model, prompts: PromptSet | None = None) -> None:
        self._answering = answering
        self._judging = judging
        self._prompts = prompts or PromptSet()

    def judge(self, question: Question, shown: Sequence[Message], transcript: Transcript) -> Opinion:
        """Return a model's answer to a question from a view, with the judge's mark."""
        if not question.answer:
            return Opinion("", None, Sum())
        names = {"user": transcript.user, "assistant": transcript.assistant}
        lines = [f"{names[role]}: {text_of(one)}" if (role := one["role"]) in names else text_of(one) for one in shown]
        reply, spent = self._ask(self._answering, "compare_answer", memory="\n".join(lines), question=question.text)
        if not reply:
            return Opinion("", None, spent)
        about = {"question": question.text, "answer": question.answer, "reply": reply}
        mark, more = self._ask(self._judging, "compare_judge", **about)
        return Opinion(reply, _right(mark), spent + more)

    def _ask(self, model: Model, prompt: str, **variables: str) -> tuple[str, Sum]:
        content = self._prompts.render(prompt, **variables)
        try:
            found = drive(model.complete([{"role": "user", "content": content}], prompt))
        except ModelError:
            return "", Sum(calls=1)
        return found.text, Sum.of(found.spent)


def _right(mark: str) -> bool | None:
    """Return True if the first "right" or "wrong" in a judge's reply is "right"; `None` without these words.

    Example:
        >>> _right("**Right**: both are in Oslo."), _right("wrong, not right"), _right("Well.")
        (True, False, None)
    """
    words = [word.strip("*_.,:;!\"'`") for word in mark.lower().split()]
    return next((word == "right" for word in words if word in ("right", "wrong")), None)
