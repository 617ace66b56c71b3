"""Readers of conversations in other forms. Pure: text in, turns out."""
