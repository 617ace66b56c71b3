"""Learns how a lasting wish to the bot is worded: `python -m bench.wishes.lasting` writes its weights.

`<code>.toml` has `parts`, and by person what is a `wish` and what is none, `other`: a line each, of which `(a|b)`, `[a]` and
`<part>` make several.
"""
