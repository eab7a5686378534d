"""The replay kit beside others, in an environment of their own: `make kits`."""
