"""Compares memzoo's replay kit with others, in a separate environment: `make kits`."""
