"""What sentences state, as slots: whose which attribute has which value, and whether a newer statement ends an older one."""
