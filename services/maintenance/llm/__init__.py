"""Summarises with a chat model."""
