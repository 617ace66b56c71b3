"""ingest: the one writer of the log.

Consumes SEND (commands of bots and services), in lanes by slot: strictly in order for a user, concurrently across lanes.
Appends every event of MEMORY; puts what it refuses into REJECTED. Owns `ingest/ingest.db`: sessions, keyed digests of what
was seen, numbers and flags; no text. Safe to replay: yes, its database is a projection of the log.
"""
