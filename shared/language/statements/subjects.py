"""The subjects of slots: the user, a relative as `user's sister`, or somebody by a name in lower case."""

USER = "user"
"""The subject that is the person whose memory it is."""
