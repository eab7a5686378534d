"""Models and embedders: their interfaces, the parsing of replies, and the counting of costs."""
