"""The command line, with the commands for chats, lists and stored conversations."""
