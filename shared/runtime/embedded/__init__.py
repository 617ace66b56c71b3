"""The nats-server that comes with the wheel: found, configured, started, checked and stopped by memstream."""
