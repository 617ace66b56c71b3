"""One package (a room) for each service; rooms never import each other."""
