"""The pure rules of maintenance."""
