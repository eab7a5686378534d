"""Compares the replay kit with other replay kits, in a separate environment: `make kits`."""
