"""retriever: answers what is known.

Consumes MEMORY. Appends nothing itself; sends `record_recall` after a context was handed out. Owns `retriever/`: an index, and
one SQLite file a user and space. Safe to replay: yes, all of it is a projection of the log.
"""
