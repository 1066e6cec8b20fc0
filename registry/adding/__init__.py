"""New records, and new evidence, from what was heard or read.

Everything here works out files and returns them; nothing is written before all of them were judged
together with the registry that they are to join.
"""
