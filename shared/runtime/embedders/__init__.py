"""Embedders: text in, unit vectors out; embedded models by default, any OpenAI-compatible endpoint when set.

`factory` makes the one that the settings ask for; everybody else knows only the port.
"""
