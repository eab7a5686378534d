"""Facts as a graph: facts and their sources, names, neighbourhoods, and output formats."""
