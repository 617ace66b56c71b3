"""A folder for PYTHONPATH: its `sitecustomize` refuses the network in every Python process below."""
