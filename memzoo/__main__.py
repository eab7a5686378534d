"""Run `python -m memzoo`, which is the command `memzoo`."""

from memzoo.cli.commands import main

main()
