"""Search: finding messages by words and by embeddings, and showing the messages found."""
