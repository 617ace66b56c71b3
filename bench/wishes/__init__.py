"""Learns how a wish not to be kept is worded, from sentences that are made and sentences of the tests.

`python -m bench.wishes` writes the weights beside the language files, a few thousand numbers: the same sentences give the same
weights. `sentences.toml` says how sentences are made.
"""
