"""Extracts facts with a chat model."""
