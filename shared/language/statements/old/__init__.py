"""The reader of old, of which the gate of a model's facts still knows; it goes with it."""
