"""The strategies: one file for each way to remember, and what several of them share."""
