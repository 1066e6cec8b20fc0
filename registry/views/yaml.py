"""The record's own file, exactly; whatever has no file of its own as YAML with the keys of JSON."""

from __future__ import annotations

import yaml

from registry.views.collect import Broken, Subject
from registry.views.document import document_of


class _Plain(yaml.SafeDumper):
    """Writes what stands twice twice, since an alias says nothing here."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def render(found: Subject | Broken, *, with_history: bool = False) -> str:
    """The text of the file; the history, or what is wrong with the file, as a document."""
    if isinstance(found, Subject) and not with_history:
        return found.raw.decode("utf-8")
    document = document_of(found, with_history=with_history)
    return yaml.dump(document, Dumper=_Plain, sort_keys=False, width=100)
