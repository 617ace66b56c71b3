"""What texts say, word by word: tokens, names, quantities, days, and when two say the same. Pure."""
