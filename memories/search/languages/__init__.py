"""The languages of messages, one file for each: frequent words, months, and the name of the stemmer."""
