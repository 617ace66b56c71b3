"""The memory of one person as a server of the Model Context Protocol, for desktop and coding clients: `memstream mcp`."""
