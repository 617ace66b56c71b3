"""The event log on JetStream: append with ids and expected versions, and a reader that notices every loss."""
