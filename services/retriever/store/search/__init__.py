"""Searches one person's file: by words, by vectors, and by the columns that ranking reads.

Read in this order: `port` (the protocols), `index` (the engines in use), `words` (SQLite's FTS5), `signs` (sqlite-vec's vec0),
`plain_vectors` where SQLite cannot load that extension, `exact_vectors`, `columns` (in memory while a file is open), `indexing`
(written with the rows), `searched_file` (everything for one question).
"""
