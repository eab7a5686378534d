"""Conversations, and what is told of them, for the tests of the page."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from memzoo.benchmarks import Exchange, Question, Transcript
from memzoo.benchmarks.measure.settings import Settings
from memzoo.benchmarks.play.pieces import Fragment, Head, Splice, Told, apply_splices, join_pieces
from memzoo.benchmarks.play.played_memory import Frame
from memzoo.benchmarks.play.playing import Line, Play
from memzoo.benchmarks.variants import choose_variants
from memzoo.strategy import ModelOption

SAID = [
    ("Hi, I'm Mara and I run a bakery.", "Nice to meet you, Mara!"),
    ("My sister Anna lives in Oslo. She has a boat.", "I will remember that."),
    ("We open at seven and close at four.", "Long days."),
    ("Anna moved to Bergen last week.", "So Anna lives in Bergen now."),
    ("We need forty kilos of flour each week.", "I can help you order it."),
]
HOSTILE = [
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">",
    "</script><script>document.title='owned'</script><!--",
    "\"'`${document.title='owned'}\\ \u2028\u2029 &lt;b&gt; </style><style>body{display:none}</style>",
    "\x00\x07\x1b[31mred\x1b[0m \u202eright to left\u202c \ufeff\u200b",
    "javascript:alert(1) {{ 7 * 7 }} {% raw %} ]]> -->",
]


def talk(
    said: Iterable[tuple[str, str]] = SAID, questions: Sequence[Question] = (), title: str = "A talk"
) -> Transcript:
    """A conversation of one day."""
    day = datetime(2026, 5, 8, tzinfo=UTC)
    spoken = [
        Exchange(({"role": "user", "content": one}, {"role": "assistant", "content": other}), ({}, {}), day)
        for one, other in said
    ]
    return Transcript(title, tuple(spoken), tuple(questions))


def play(
    transcript: Transcript | None = None, *memories: str, model: ModelOption = "offline", budget: int = 200, **more: Any
) -> Play:
    """A play with the seven, or with some."""
    return Play(transcript or talk(), choose_variants(memories), Settings(model=model, budgets=[budget]), **more)


class Page:
    """What a reader of lines knows of them, by the rules of benchmarks/play/lines.md and nothing else."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.start: Line = {}
        self.moments: list[Line] = []
        self.questions: list[Line] = []
        self._pieces: list[Fragment] = []
        self.facts: list[Sequence[Any]] = []
        self.ways: list[str] = []
        for line in lines:
            self.take(line)

    def take(self, line: Line) -> None:
        """Take in a line."""
        if line["kind"] == "start":
            self.start = line
            return
        self._pieces += [Fragment(Head(*one[:3]) if one[1:] else None, one[-1]) for one in line["pieces"]]
        self.facts += line["facts"]
        self.ways += line["ways"]
        if line["kind"] == "question":
            self.questions.append(line)
        else:
            self.moments[line["number"] :] = [line]

    def frame(self, moment: int, name: str) -> Frame:
        """What is told of a memory at a moment."""
        frame: Frame = self.moments[moment]["memories"][name]
        return frame

    def view(self, moment: int, name: str) -> list[Told]:
        """What a memory shows at a moment, rebuilt from all differences up to it."""
        return self._told(self._numbers(moment, name))

    def asked(self, question: int, name: str) -> list[Told]:
        """What a memory shows for a question."""
        line = self.questions[question]
        return self._told(_spliced(self._numbers(line["at"], name), line["memories"][name]))

    def pieces(self, moment: int, name: str) -> list[str]:
        """The pieces that a memory shows at a moment."""
        return [self._pieces[number].text for number in self._numbers(moment, name)]

    def texts(self, numbers: Iterable[int]) -> list[str]:
        """Pieces by number."""
        return [self._pieces[number].text for number in numbers]

    def _numbers(self, moment: int, name: str) -> list[int]:
        shown: list[int] = []
        for line in self.moments[: moment + 1]:
            shown = _spliced(shown, line["memories"].get(name, {"splices": ()}))
        return shown

    def _told(self, numbers: Iterable[int]) -> list[Told]:
        return join_pieces(self._pieces[number] for number in numbers)


def _spliced(shown: Sequence[int], frame: Frame) -> list[int]:
    return apply_splices(shown, [Splice(at, removed, tuple(added)) for at, removed, added in frame["splices"]])
