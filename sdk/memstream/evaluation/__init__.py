"""How good the memory is. Pure: answers in, numbers out."""
