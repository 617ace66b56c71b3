"""The only I/O kit: broker, event log, projector, SQLite, embedded server, clock, ids, keys, settings, logs, metrics."""
