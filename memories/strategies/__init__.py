"""The strategies: a file for each of the seven, one for the windows with a limit, and their shared parts."""
