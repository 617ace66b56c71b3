"""feed: hands the events of a space to its readers, page by page and live.

Consumes MEMORY. Answers `read.<space>.events`; publishes on `events.<space>.<user>.<event>`, where nothing is stored. Owns
`feed/`: who belongs to which space, as keyed hashes, and what is forgotten but not erased yet; no text. Safe to replay: yes.
"""
