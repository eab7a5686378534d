"""Runs the command `memzoo` for `python -m memzoo`."""

from memzoo.cli.commands import main

main()
