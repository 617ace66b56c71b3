"""Reads texts: their words, clauses, statements, commands and questions. Pure: no clock, no I/O but the languages' tables.

`text` splits and compares words, `statements` reads slots, `commands` reads what is asked of the memory,
`questions` what is asked of the memories. `tables` loads a language's file. Services import it; it
imports contracts and `shared.domain` only.
"""
