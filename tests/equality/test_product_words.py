from __future__ import annotations

import pytest

from registry.equality.product_words import compare_product_words


@pytest.mark.parametrize(
    ("one", "other", "outcome"),
    [
        ("HBM2e", "HBM2E", "same"),
        ("SXM4", "SXM 4", "same"),
        ("PCIe", "pcie", "same"),
        ("HBM2", "HBM2e", "different"),
        ("HBM2", "HBM3", "different"),
        ("SXM4", "SXM5", "different"),
        ("SXM4", "OAM Module", "different"),
        ("NVLink3", "NVLink30", "different"),
        ("SXM", "SXM4", "cannot-tell"),
        ("HBM", "HBM2e", "cannot-tell"),
        ("PCIe", "PCIe 4.0 x16", "cannot-tell"),
        ("NVLink3", "NVLink 3, 600 GB/s", "cannot-tell"),
        ("NVLink 600 GB/s", "NVLink 3, 600 GB/s", "cannot-tell"),
        ("NVLink 600 GB/s", "NVLink 3, 900 GB/s", "different"),
        ("NVLink 3, 600 GB/s", "NVLink 4, 600 GB/s", "different"),
        ("NVLink 3", "NVLink 2, 3 links", "different"),
        ("600 GB/s", "NVLink 600 GB/s", "different"),
        ("PCIe", "PCIe, dual-slot", "cannot-tell"),
        ("PCIe, single-slot", "PCIe, dual-slot", "different"),
        ("SXM4", "", "cannot-tell"),
    ],
)
def test_words_for_parts_of_a_product(one: str, other: str, outcome: str) -> None:
    assert compare_product_words(one, other).outcome == outcome
    assert compare_product_words(other, one).outcome == outcome
