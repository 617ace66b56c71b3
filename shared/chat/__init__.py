"""What a person says to the memory in plain words: "forget that", "what do you remember about Bob?".

Rules with a confidence, no model. One language file each in `languages/`; docs of its format in `language.py`. Pure.
"""
