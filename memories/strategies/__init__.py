"""The strategies: one file for each way to remember, and the bases that several share."""
