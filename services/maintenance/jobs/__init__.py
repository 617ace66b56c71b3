"""What maintenance does at its times: one module for each job.

A job is a class with a `name`, a `schedule` and `run` (`job.py`), and one line in `services/maintenance/registry.py`. See
docs/jobs.md.
"""
