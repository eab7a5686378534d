"""The command line: compare, chat, list, and the commands on stores."""
