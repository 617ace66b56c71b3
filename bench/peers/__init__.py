"""Tries other memories beside memstream: `python -m bench ask --peers`, `python -m bench promises --peers`."""
