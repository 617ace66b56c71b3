"""The language that the services share: subjects, envelope, events, commands, queries, errors.

Imports nothing but pydantic and the standard library, and itself only relatively: the SDK loads this package from inside
the wheel (`memstream._bundle.shared.contracts`) without touching a bot's `sys.path`.
"""
