"""The rules of learning: what in a conversation is a fact, and how it reads on its own. Pure."""
