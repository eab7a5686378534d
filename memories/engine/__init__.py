"""The common part of all strategies: the log, the state learnt from the log, and the view made from log and state.

Three module docstrings explain the order of events: a save (`saving`, then `learner` for a strategy that learns), a
load (`loading`), and a failing model (`retry`).
"""
