"""Facts as a graph: what is known, why, what is near, and how it is written out."""
