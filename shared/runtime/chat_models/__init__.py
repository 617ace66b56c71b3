"""Chat models, at any endpoint that speaks OpenAI's chat completions: asking them, their settings, and what that costs.

What was said goes to that endpoint and nowhere else: no text is logged, and no error carries any.
"""
