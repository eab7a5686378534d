"""The sessions of a conversation, and how many of those that an answer rests on a view shows something of."""

from collections.abc import Sequence

from memzoo.benchmarks.measure.evidence import Texts, covers
from memzoo.benchmarks.transcripts.conversations import Question, Transcript
from memzoo.memories.text.messages import text_of

__all__ = ["Sessions"]


class Sessions:
    """What was said in each session; ids of messages begin with the session's, such as "3:7" or "D3:7".

    Args:
        transcript: The conversation.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._lines: dict[str, list[str]] = {}
        self._session_of: dict[str, str] = {}
        labels = {"user": transcript.user, "assistant": transcript.assistant}
        for exchange in transcript.exchanges:
            for message, cited in zip(exchange.messages, exchange.evidence, strict=True):
                for id_, text in cited.items():
                    session = id_.rpartition(":")[0]
                    label = labels.get(str(message["role"]), "")
                    self._lines.setdefault(session, []).append(f"{label}: {text_of(message)}")
                    self._session_of.setdefault(text, session)

    def share(self, question: Question, shown: Texts) -> float:
        """The share of the sessions with evidence of which any message is shown."""
        wanted = {self._session_of[text] for text in question.evidence if text in self._session_of}
        return sum(self._stands(self._lines[session], shown) for session in wanted) / max(len(wanted), 1)

    @staticmethod
    def _stands(lines: Sequence[str], shown: Texts) -> bool:
        # What stands whole is found faster than what is covered.
        return any(line in shown for line in lines) or any(covers(line, shown) for line in lines)
