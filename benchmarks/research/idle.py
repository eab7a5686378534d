"""How often nobody is asked because there is nothing to learn, and how often that is wrong.

    python -m memzoo.benchmarks.research.idle ../shared/data/locomo/dev.json

An exchange is idle if its messages have nothing but courtesy, applause and the weather. It is a miss if a question of
the transcript cites one of its messages as evidence. Without files, the bundled conversations are counted.
"""

import sys
from collections.abc import Iterable

from memzoo.benchmarks import Transcript, load_transcripts, sample_transcripts
from memzoo.memories.text.language import is_idle
from memzoo.strategy import text_of

__all__ = ["count_idle"]


def count_idle(transcripts: Iterable[Transcript]) -> tuple[int, int, int, int]:
    """Count exchanges, idle ones, those that questions cite, and idle ones among these."""
    exchanges = idle = cited = missed = 0
    for transcript in transcripts:
        evidence = {one for question in transcript.questions for one in question.evidence}
        before = ""
        for exchange in transcript.exchanges:
            texts = [text_of(message) for message in exchange.messages]
            nothing = "?" not in before and all(map(is_idle, texts))
            needed = any(evidence.intersection(known.values()) for known in exchange.evidence)
            exchanges, idle = exchanges + 1, idle + nothing
            cited, missed = cited + needed, missed + (nothing and needed)
            before = texts[-1]
    return exchanges, idle, cited, missed


def main(paths: Iterable[str]) -> None:
    """Print a line for each file."""
    files = [*paths]
    for name, transcripts in [(file, load_transcripts(file)) for file in files] or [("bundled", sample_transcripts())]:
        exchanges, idle, cited, missed = count_idle(transcripts)
        sys.stdout.write(f"{name}: {exchanges} exchanges, {idle} idle; {cited} cited, {missed} of them idle\n")


if __name__ == "__main__":
    main(sys.argv[1:])
