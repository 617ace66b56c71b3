"""The rules of maintenance: pure."""
