"""What a person says to the memory in plain words: "forget that", "what do you remember about Bob?". Rules, and no model.

The door to it: `reading` finds the command in a text, `command` is what it finds, `replies` words an answer, and `language`
loads the files of `languages/` and an operator's own. Nothing outside imports the other modules.
"""
