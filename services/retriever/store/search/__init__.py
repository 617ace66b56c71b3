"""What questions ask of one person's file: by words, by vectors, and by the columns that ranking reads.

Read in this order: `index` (the port, and which index is used), `words` (SQLite's FTS5), `signs` (sqlite-vec's vec0) with
`plain_vectors` where that extension is not there, `exact_vectors`, `columns` (held in memory while a file is open), `indexing`
(what events change), `searched_file` (all of it for one question).
"""
