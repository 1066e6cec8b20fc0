"""Checks, one module for each layer."""
