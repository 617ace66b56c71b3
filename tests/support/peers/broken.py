"""A contender that cannot be started, and says why."""

raise SystemExit("this store wants a license")
