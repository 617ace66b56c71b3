"""The periods that a text names, as `last week`, and those that only a question does, as `since Easter`: `reading.periods`."""
