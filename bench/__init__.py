"""Benchmarks. Each module has a `main()` and a first line that says what it measures."""
