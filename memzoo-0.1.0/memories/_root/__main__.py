"""`python -m memzoo`: the same as the command `memzoo`."""

from memzoo.memories.cli.commands import main

main()
