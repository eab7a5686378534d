"""Weighs the parts of the searches: over what was said, and over what is known."""

from dataclasses import dataclass

__all__ = ["UnitWeights", "Weights"]


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part of the search counts; decided on development conversations (docs/retrieval-research.md).

    Attributes:
        own: The words of the message itself.
        around: The words around it.
        segment: The words of the segment it stands in. If none of these three counts, no words are searched.
        dates: Whether the words of the date count as words of the text.
        speaker: Points for messages of a speaker who is named in the query.
        telling: What a message gains that tells of its speaker, as a share of the best score by words.
        asking: What a message loses that only asks, as a share of the best score by words.
        answering: What a message gains that follows a question: this times the score of that question's own words.
        short: Words up to which a message costs next to nothing, so that its length says nothing about its worth.
        length: What a message loses with each doubling of its length above `short`, as a share of the best score by
            words: it takes the room of others.
        talkative: What it loses with each doubling, above as many, of what its speaker says on average.
        embeddings: What a message gains for each standard deviation by which it is nearer than others, as a share of
            the best score by words; times the weight of the embedder. Embeddings are not searched at 0.
        before: The share of that which the next message gains, too.
        after: The share of it which the message before gains.
        saturation: How soon a word that is repeated counts no more (the k1 of BM25).
        dilution: How much a word counts less in longer texts, from 0 to 1 (the b of BM25).
        window: Characters of the text around a message, itself included.
        sure_correction: The share of its rare words that a message has in common with what it corrects, if its words
            say that it corrects something.
        possible_correction: That share, if its words may say so.
        same_subject: How rare the words in common must be in any case: together, 1 for each that stands nowhere else
            and 0 for one that is all that is said, on a scale of logarithms.
    """

    own: float = 0.5
    around: float = 1.0
    segment: float = 1.0
    dates: bool = True
    speaker: float = 5.0
    telling: float = 0.05
    asking: float = 0.1
    answering: float = 0.2
    short: int = 53
    length: float = 0.4
    talkative: float = 0.2
    embeddings: float = 0.01
    before: float = 0.5
    after: float = 0.25
    saturation: float = 1.2
    dilution: float = 0.75
    window: int = 850
    sure_correction: float = 0.25
    possible_correction: float = 0.4
    same_subject: float = 0.55


@dataclass(frozen=True, slots=True)
class UnitWeights:
    """How much each part counts of the search over what is known (see docs/graph.md).

    Attributes:
        own: The words of the unit itself.
        around: The words of what was said in the same message, or in one beside it.
        profile: The words of all that is known under its names.
        kinds: What it gains for having a date or a number, if one is asked for, as a share of its score.
        common: What the words of every talk count ("big", "behind") beside others.
        advice: What is left to advice, which is long and has words of everything, unless who gave it is asked about.
        rows: What two words count that stand in a row in the question and in the unit, besides their own scores.
        length: What it loses with each doubling of its length above `short`, as a share of the best score.
        short: Words up to which it loses nothing.
        saturation: See `Weights`.
        dilution: See `Weights`.
    """

    own: float = 1.0
    around: float = 0.15
    profile: float = 0.6
    kinds: float = 1.0
    common: float = 0.2
    advice: float = 0.4
    rows: float = 0.6
    length: float = 0.1
    short: int = 10
    saturation: float = 1.2
    dilution: float = 0.75
