"""The pure kernel: rules that every service must agree on. No clock, no randomness, no I/O."""
