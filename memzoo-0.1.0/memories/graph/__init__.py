"""Facts as a graph: what a fact is, how names meet, what is near a name, and how a graph is written down."""
