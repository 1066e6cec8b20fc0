"""Which hardware a paper used: what it states, and apart from that what was concluded."""

from __future__ import annotations

from registry.records.paper import HardwareLink, InferredHardware, Paper, StatedHardware
from registry.views.page import Bullets, Paragraph, Section, Words, alarm, joined, strong, words
from registry.views.shelf import Shelf
from registry.views.values import brief, sources_of


def hardware(paper: Paper, shelf: Shelf) -> Section:
    """Every link from the paper to an accelerator."""
    if not paper.hardware:
        return Section("Hardware", (Paragraph(words("No accelerator is linked.")),))
    links = tuple(_link(link, shelf) for link in paper.hardware)
    return Section("Hardware", (Bullets(links),))


def _link(link: HardwareLink, shelf: Shelf) -> tuple[Words, ...]:
    used = "training and evaluation" if link.used_for == "both" else link.used_for
    basis = alarm("INFERRED") if link.basis == "inferred" else "stated"
    name = shelf.label("accelerator", link.accelerator)
    head = words(strong(name), f" [accelerator/{link.accelerator}] for {used}: ", basis)
    read = joined((link.locator, f"evidence: {sources_of(link.evidence, shelf)}"))
    entered = f"since {link.recorded} by {link.by}"
    stated = joined((_stated(link.stated), read, entered))
    concluded = (words(strong("inferred "), _inferred(one)) for one in link.inferred or ())
    return (head, words(strong("stated "), stated), *concluded)


def _stated(stated: StatedHardware) -> str:
    named = {
        "memory size": stated.memory_size,
        "form factor": stated.form_factor,
        "count": stated.count,
    }
    said = [f"{name} {value}" for name, value in named.items() if value is not None]
    unsaid = [name for name, value in named.items() if value is None]
    text = ", ".join([f"“{stated.text}”", *said])
    return f"{text}; not stated: {', '.join(unsaid)}" if unsaid else text


def _inferred(one: InferredHardware) -> str:
    reason = brief(one.inferred_from) if one.inferred_from else "what is not said"
    return f"{one.property.replace('_', ' ')} {one.value}, from: {reason}"
