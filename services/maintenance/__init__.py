"""maintenance: what is done for memories in the background.

Consumes MEMORY. Sends `attach_embedding` and `attach_entities`; asks `similar`. Owns `maintenance/`: which memories have no
vector yet, and which facts few topics; no text. Safe to replay: yes; a replay asks no model, for vectors come from the log.
"""
