"""Upstream sources."""
