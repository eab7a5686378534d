"""Where nobody is asked because there is nothing to learn."""

from memzoo.benchmarks import Exchange, Question, Transcript, sample_transcripts
from memzoo.benchmarks.research.idle import count_idle


def said(*exchanges: tuple[str, str], cited: str = "") -> Transcript:
    """A talk, and a question that cites the messages in which some words stand."""
    messages = [[{"role": "user", "content": one}, {"role": "assistant", "content": other}] for one, other in exchanges]
    evidence = tuple(str(m["content"]) for pair in messages for m in pair if cited and cited in str(m["content"]))
    told = tuple(Exchange(tuple(pair), tuple({"": str(m["content"])} for m in pair)) for pair in messages)
    return Transcript("talk", told, (Question("?", evidence=evidence),))


def test_at_most_one_of_a_hundred_needed_exchanges_is_passed_over() -> None:
    """In the bundled conversations, no exchange that a question cites is taken for idle."""
    for language in ("en", "zh"):
        exchanges, idle, cited, missed = count_idle(sample_transcripts(language))
        assert 0 < cited < exchanges
        assert missed * 100 <= cited
        assert idle <= exchanges


def test_idle_exchanges_and_misses_are_counted() -> None:
    """Courtesies and the weather are idle; where a question cites them, that is a miss."""
    talk = said(("lol the weather is awful", "Haha, true!"), ("I live in Oslo.", "Nice!"), cited="weather")
    assert count_idle([talk]) == (2, 1, 1, 1)
