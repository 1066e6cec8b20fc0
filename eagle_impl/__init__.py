"""A reference implementation of EAGLE speculative decoding."""
