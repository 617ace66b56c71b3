"""The fault matrix: each service and the server, each fault, each activity, with real processes. `make chaos` runs it all."""
