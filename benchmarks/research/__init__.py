"""How memzoo measures itself: search, stores, costs. Not part of the installed package."""
