"""The rules of what enters the log: `decide(command, state, given) -> Ruling`, `Fold(state).add(event)`. Pure."""
