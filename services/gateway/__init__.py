"""gateway: the memory over HTTP, for whoever bears a token, a JWT or a link.

Consumes no stream: it is a bot on the bus, in an account of its own, and sends and asks through the gate as one that is limited
to spaces. Listens on `events.` for whoever follows changes. Owns nothing but the ids of passes that were used. Safe to replay:
there is nothing to replay.
"""
