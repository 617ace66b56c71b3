"""What a text says: words, clauses, statements, commands, questions. Pure: no clock, no I/O but the tables of the languages.

`text` splits and compares words, `statements` reads slots, `commands` reads what is asked of the memory,
`questions` what is asked of the memories. `tables` loads a language's file. Services import it; it
imports contracts and `shared.domain` only.
"""
