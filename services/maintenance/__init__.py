"""maintenance: what is done for memories in the background.

Consumes MEMORY. Sends `attach_embedding`. Owns `maintenance/`: which memories have no vector yet; no text.
Safe to replay: yes; a replay asks no model, for vectors come from the log.
"""
