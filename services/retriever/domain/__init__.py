"""The rules of retrieval: what a query means, how scores are fused, what goes into the block. Pure."""
