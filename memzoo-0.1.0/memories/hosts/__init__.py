"""memzoo inside other libraries: one folder or file for each."""
