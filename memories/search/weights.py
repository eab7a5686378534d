"""Weights of the parts of the two searches: over messages, and over known units."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the search over messages, chosen on development conversations (docs/retrieval-research.md).

    Attributes:
        own: The weight of the words of the message itself.
        around: The weight of the words in the window around the message.
        segment: The weight of the words in the message's segment: a longer run of messages without a long pause.
        month: The gain of a message that was said in the month or on the day that the query asks for, as a share of the
            message's score by words.
        speaker: The gain of a message whose speaker is named in the query, in points of the score.
        telling: The gain of a message that says "I" or "we", as a share of the best score by words.
        asking: The loss of a message that consists of questions, as a share of the best score by words.
        answering: The share of a question's score that is added to the score of the message after the question.
        short: The number of letters up to which a message loses nothing for its length; see `count_letters`.
        length: The loss for each doubling of a message's length above `short`, as a share of the best score by words.
        talkative: Like `length`, for the mean length of the speaker's messages.
        embeddings: The gain for each standard deviation of similarity, as a share of the best score by words. At 0,
            embeddings are not searched.
        before: The share of the previous message's similarity that is added to a message's own.
        after: The share of the next message's similarity that is added to a message's own.
        saturation: The parameter k1 of BM25: the lower, the less a repeated word adds.
        dilution: The parameter b of BM25, from 0 to 1: the higher, the less a word counts in longer texts.
        window: The size in letters of the window around a message, including the message itself.
        sure_correction: The minimum share of a clear correction's rare words that the corrected message must contain.
        possible_correction: Like `sure_correction`, for a correction that is not clear.
        same_subject: A correction and the corrected message have common words; this is the least sum of their
            rareness. The rareness of a word is between 0 (the most frequent words) and 1 (words found only once).
    """

    own: float = 0.5
    around: float = 1.0
    segment: float = 1.0
    month: float = 1.0
    speaker: float = 5.0
    telling: float = 0.05
    asking: float = 0.1
    answering: float = 0.2
    short: int = 270
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
    """The weights of the search over known units (see docs/graph.md).

    Attributes:
        own: The weight of the words of the unit itself.
        around: The weight of the words of other units from the same message or a neighbouring message.
        profile: The weight of the words of all units about the unit's subjects.
        neighbours: The weight of the best units that share a name with the unit.
        roles: The increase of `neighbours`, as a share, for a neighbour that says who or what a subject is.
        kinds: The gain of a unit with a date, number, place or rule, as a share of the unit's score, if the query asks
            for such a thing.
        having: A further gain of a unit that gains by `kinds`, as a share of the best score of all units; the unit's
            length does not matter.
        common: The weight of everyday words ("big", "behind"); other words have the weight 1.
        advice: The share of its score that a unit with advice keeps, unless the query asks for advice.
        rows: The additional weight of two words that follow each other in both the query and the unit.
        length: The loss for each doubling of a unit's length above `short`, as a share of the best score.
        kept: The share of its score that even a very long unit keeps.
        short: The number of words up to which a unit loses nothing for its length.
        saturation: The k1 of BM25, as in `Weights`.
        dilution: The b of BM25, as in `Weights`.
    """

    own: float = 1.0
    around: float = 0.15
    profile: float = 0.6
    neighbours: float = 0.8
    roles: float = 0.5
    kinds: float = 1.0
    having: float = 0.05
    common: float = 0.2
    advice: float = 0.4
    rows: float = 0.6
    length: float = 0.1
    kept: float = 0.3
    short: int = 10
    saturation: float = 1.2
    dilution: float = 0.75
