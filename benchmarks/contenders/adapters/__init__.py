"""The adapters that memzoo brings. Each file runs in its library's environment, where memzoo is not installed."""
