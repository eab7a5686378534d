"""Data files: the bundled conversations, and the templates of the report."""
