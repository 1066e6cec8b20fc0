"""Errors of the registry.

What is wrong *in* a registry is a finding, never an exception. These are for what keeps a command
from doing its work at all; the command line prints them as one line and ends with exit code 2.

RegistryError
├── NoRegistryError      no folder with data/ where one was asked for
├── UnknownRecordError   no record of that name (near names in the hint)
├── OccupiedError        a new registry would lie where something else does
├── UnreadableError      a file that must be read or written cannot be
├── ChangedError         a file is not what it was when a command began
├── HistoryError         git cannot tell about the past
│   └── NoRepositoryError  there is no git repository to ask
├── ExportError          a paper cannot be exported as asked
├── EditError            a record cannot be edited as asked
└── ComparisonError      there is nothing that could be compared as asked
"""

from __future__ import annotations


class RegistryError(Exception):
    """Base of all errors of the registry."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        """What is wrong, on one line."""
        self.hint = hint
        """How to mend it, on one line."""


class NoRegistryError(RegistryError):
    """There is no registry at the given place."""


class UnknownRecordError(RegistryError):
    """No record has the given name."""


class OccupiedError(RegistryError):
    """A new registry would lie where something else does."""


class UnreadableError(RegistryError):
    """A file cannot be read or written."""


class ChangedError(RegistryError):
    """A file was changed by somebody else between reading and writing it."""


class ExportError(RegistryError):
    """A paper cannot be exported as asked."""


class EditError(RegistryError):
    """A record cannot be edited as asked; nothing was written."""


class ComparisonError(RegistryError):
    """There is nothing that could be compared as asked."""


class HistoryError(RegistryError):
    """Git cannot tell about the past: no repository, no such commit, a history that is cut off."""


class NoRepositoryError(HistoryError):
    """The records are in no git repository."""
