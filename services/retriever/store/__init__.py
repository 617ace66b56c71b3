"""The retriever's files: one SQLite file a user and space, and an index of them."""
