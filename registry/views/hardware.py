"""Which hardware a paper used: what it states, and apart from that what was concluded."""

from __future__ import annotations

from collections.abc import Sequence

from registry.records.paper import HardwareLink, InferredHardware, Paper, StatedHardware
from registry.records.tracked import Basis
from registry.views.page import Bullets, Paragraph, Run, Section, Words, alarm, strong, words
from registry.views.shelf import Shelf
from registry.views.values import brief

REASON = 60
"""Characters of what a property was concluded from that are shown."""


def hardware(paper: Paper, shelf: Shelf) -> Section:
    """Every link from the paper to an accelerator, by accelerator."""
    if not paper.hardware:
        return Section("Hardware", (Paragraph(words("No accelerator is linked.")),))
    groups: dict[tuple[str, Basis], list[HardwareLink]] = {}
    for link in paper.hardware:
        groups.setdefault((link.accelerator, link.basis), []).append(link)
    items = (_group(links, shelf) for links in groups.values())
    return Section("Hardware: what is stated, and what was inferred", (Bullets(tuple(items)),))


def _group(links: Sequence[HardwareLink], shelf: Shelf) -> tuple[Words, ...]:
    accelerator, basis = links[0].accelerator, links[0].basis
    kind = alarm("the link is INFERRED") if basis == "inferred" else Run("the link is stated")
    name = strong(shelf.label("accelerator", accelerator))
    stated = "; ".join(f"{_use(link)} {_stated(link.stated, basis)}" for link in links)
    inferred = "; ".join(
        f"{_use(link)} {_inferred(one)}" for link in links for one in link.inferred or ()
    )
    head = words(name, f" [accelerator/{accelerator}]: ", kind)
    if basis == "stated":
        return (words(head, f": {stated}"),)
    return (
        head,
        words(strong("stated"), f": {stated}"),
        words(strong("inferred"), f": {inferred}") if inferred else (),
    )


def _use(link: HardwareLink) -> str:
    return "training and evaluation" if link.used_for == "both" else link.used_for


def _inferred(one: InferredHardware) -> str:
    reason = brief(one.inferred_from, REASON) if one.inferred_from else "what is not said"
    return f"{one.property.replace('_', ' ')} {one.value}, from: {reason.rstrip('.')}"


def _stated(stated: StatedHardware, basis: Basis) -> str:
    named = {
        "memory": stated.memory_size,
        "form factor": stated.form_factor,
        "count": stated.count,
    }
    said = [f"{name} {value}" for name, value in named.items() if value is not None]
    # What is left unsaid matters where something had to be concluded in its place.
    unsaid = [f"no {name}" for name, value in named.items() if value is None]
    return ", ".join([f"“{stated.text}”", *said, *(unsaid if basis == "inferred" else ())])
