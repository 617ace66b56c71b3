"""How remembered text is made harmless in a block, as in all that a model is told."""

from shared.contracts.prompt_safety import harmless, label

__all__ = ["harmless", "label"]
