"""Models: the port to them, embedders, what their replies say, and what they cost."""
