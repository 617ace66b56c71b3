"""Everything that more than one service needs: the language (contracts), the pure rules (domain) and all I/O (runtime)."""
