"""The strategies: a file for each of the seven classic strategies, files for further strategies, and shared code."""
