"""The prompts of maintenance: one module for each version."""
