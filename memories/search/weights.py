"""Weights of the parts of the searches: over messages, and over facts and statements."""

from dataclasses import dataclass

__all__ = ["UnitWeights", "Weights"]


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each part of the search; chosen on development conversations (docs/retrieval-research.md).

    Attributes:
        own: The words of the message itself.
        around: The words around it.
        segment: The words of the segment it stands in. If none of these three counts, no words are searched.
        dates: The words of the date count as words of the text.
        speaker: Points for messages of a speaker who is named in the query.
        telling: Gain of a message that tells of its speaker, as a share of the best score by words.
        asking: Loss of a message that only asks, as a share of the best score by words.
        answering: Gain of a message that follows a question: this times the score of that question's own words.
        short: Words up to which a message costs next to nothing, so that its length does not matter.
        length: Loss of a message with each doubling of its length above `short`, as a share of the best score by words:
            it takes the room of others.
        talkative: Loss with each doubling, above the same number, of the mean length of its speaker's messages.
        embeddings: Gain of a message for each standard deviation by which it is nearer than others, as a share of the
            best score by words; times the weight of the embedder. Embeddings are not searched at 0.
        before: The share of that gain for the next message.
        after: The share of that gain for the message before.
        saturation: The speed at which repetitions of a word stop counting (the k1 of BM25).
        dilution: The discount of a word in longer texts, from 0 to 1 (the b of BM25).
        window: Characters of the text around a message, itself included.
        sure_correction: The share of its rare words that a message has in common with the one it corrects, if it has
            words of a correction.
        possible_correction: That share, if its words may mean a correction.
        same_subject: The least rarity of the words in common: their sum, 1 for a word that occurs nowhere else and 0
            for one that is the whole conversation, on a logarithmic scale.
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
    """The weight of each part of the search over facts and statements (see docs/graph.md).

    Attributes:
        own: The words of the unit itself.
        around: The words of the same message, or of one beside it.
        profile: The words of all units under its names.
        kinds: Gain for a date or a number, if the question asks for one, as a share of its score.
        common: The weight of everyday words ("big", "behind") relative to others.
        advice: The rest of the score for advice, which is long and has words of everything, unless the question is
            about the assistant.
        rows: Extra weight of two words in a row in both question and unit.
        length: Loss with each doubling of its length above `short`, as a share of the best score.
        short: Words up to which there is no loss.
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
