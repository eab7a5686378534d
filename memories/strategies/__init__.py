"""The strategies: a file for each of the seven, files for further strategies, and code shared by several strategies."""
