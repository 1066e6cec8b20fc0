"""Measures the registry itself. Run it with ``python -m registry.bench``."""
