"""The command line: commands for chatting, for lists of strategies and stores, and for stored conversations."""
