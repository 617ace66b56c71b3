"""Reads questions: the aim, the times that are named, the person who is meant, and the words to look for. Pure.

Begin with `aims`. Imports `shared.language.text` only; the retriever imports it.
"""
