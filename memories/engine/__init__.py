"""What all strategies have in common: a log that is followed, a state that is learnt from it, and a view of both.

Three stories, each to be read from top to bottom: a save (`saving`, and `learner` for a strategy that learns), a load
(`loading`), a model that fails (`retry`).
"""
