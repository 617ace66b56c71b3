"""Who may: tokens, JWTs and passes, and what follows from them."""
