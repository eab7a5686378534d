"""Models: their interface, embedders, the reading of replies, and costs."""
