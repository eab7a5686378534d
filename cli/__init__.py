"""The command line, and its commands for chatting, listing, and stored conversations."""
