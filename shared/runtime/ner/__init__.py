"""Finds names in texts: patterns, a model in this process, a model at an endpoint; behind one port."""
