"""The home of a reference implementation of EAGLE; this release holds its command only."""
