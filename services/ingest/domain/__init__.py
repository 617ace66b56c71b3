"""The rules of what enters the log: `decide(command, state) -> events`, `evolve(state, event) -> state`. Pure."""
