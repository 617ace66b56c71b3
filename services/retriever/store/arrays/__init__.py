"""What is asked of one person for every question, as arrays in a memory-mapped file beside the SQLite file it is derived from.

Read in this order: `columns` (what the file holds), `array_file` (how it lies there), `memory_rows` and `tokens` (what is
written of a memory), `person_arrays` (derives and patches), `word_search` and `vector_search` (what is asked of it).
"""
