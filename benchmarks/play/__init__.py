"""A page on which several memories remember the same conversation side by side: `memzoo play`."""
