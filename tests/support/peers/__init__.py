"""Tiny contenders for the comparison with peers: they need nothing that is not installed."""
