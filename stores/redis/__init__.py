"""The store on a server or cluster of Redis or Valkey."""
