"""Plans edits of records: what a command changes, worked out before anything is written.

Every function here takes a registry and arguments, and returns an ``Edit``; none prints or writes.
A value that was ever held stays, with its evidence; a rank changes only with a reason; a decision
that no longer holds is kept among the past ones.
"""
