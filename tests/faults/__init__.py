"""The fault matrix: services and the server, each fault, each activity, with real processes. `make chaos` runs it all."""
