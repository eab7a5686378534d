"""The common part of all strategies: a log to follow, a state learnt from it, and a view of both.

Three stories, each to be read from top to bottom: a save (`saving`, and `learner` for a strategy that learns), a load
(`loading`), a model that fails (`retry`).
"""
