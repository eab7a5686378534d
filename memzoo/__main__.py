"""`python -m memzoo`: the same as the command `memzoo`."""

from memzoo.cli.commands import main

main()
