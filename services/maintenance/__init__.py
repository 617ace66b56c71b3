"""maintenance: what is done for memories and sessions in the background.

Consumes MEMORY. Sends `attach_embedding` and `sweep_sessions`. Owns `maintenance/`: which memories have no vector yet, which
sessions are open; no text. Safe to replay: yes; a replay asks no model, for vectors come from the log.
"""
