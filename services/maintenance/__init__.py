"""maintenance: embeds memories, enriches facts, sweeps sessions and runs the jobs, in the background.

Consumes MEMORY. Sends `attach_embedding`, `attach_entities`, `sweep_sessions` and what its jobs propose; asks `similar`. Owns
`maintenance/`: which memories have no vector yet, which facts few topics, which memories are old, which sessions are open; no
text. Safe to replay: yes; a replay asks no model, for vectors come from the log.
"""
