"""Errors of the implementation. The command line prints them as one line and exits with code 2.

EagleError
├── CheckpointError   a checkpoint cannot be read, or is not what it must be
│   └── ArchitectureError   it is a model that is not Llama-shaped
├── MismatchError     a head and a target do not fit together
├── PromptError       a prompt cannot be used (too long, no chat template)
├── CapacityError     more tokens than a cache has room for
├── EngineError       another engine does not do what it is asked
└── OptionError       an option has an impossible value
"""

from __future__ import annotations


class EagleError(Exception):
    """Base of all errors of the implementation."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        """What is wrong, on one line."""
        self.hint = hint
        """How to mend it, on one line."""


class Notice(UserWarning):
    """Something worth knowing that is nobody's fault; the command line says it on one line."""


class CheckpointError(EagleError):
    """A checkpoint cannot be read, or is not what it must be."""


class ArchitectureError(CheckpointError):
    """A checkpoint is a model that is not Llama-shaped."""


class MismatchError(EagleError):
    """A head and a target do not fit together."""


class PromptError(EagleError):
    """A prompt cannot be used."""


class CapacityError(EagleError):
    """More tokens than a cache has room for."""


class EngineError(EagleError):
    """Another engine does not do what it is asked."""


class OptionError(EagleError):
    """An option has an impossible value."""
