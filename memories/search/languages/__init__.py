"""Languages of messages, one file a language: words of any question, months, and the name of the stemmer."""
