"""What a question asks: its aim, the times it names, whom it means, and which of the words it looks for. Pure.

Begin with `aims`. Imports `shared.language.text` only; the retriever imports it.
"""
