"""Extracts facts with a model, at any endpoint that speaks OpenAI's chat completions.

What was said goes to that endpoint and nowhere else: no text is logged, and no error carries any.
"""
