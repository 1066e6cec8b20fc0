"""Checkpoint layouts of other projects, read and written."""
