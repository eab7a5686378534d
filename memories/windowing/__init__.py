"""Which messages belong together, and which of them fit a limit."""
