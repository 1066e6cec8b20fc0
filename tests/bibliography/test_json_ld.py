from __future__ import annotations

import json
from datetime import date
from typing import Any

from bibliography.works import preprint, published

from registry.bibliography.json_ld import render
from registry.bibliography.manifestation import Manifestation


def article(work: Manifestation) -> dict[str, Any]:
    document = json.loads(render([work]))
    assert document["@context"] == "https://schema.org"
    (found,) = document["@graph"]
    assert found["@type"] == "ScholarlyArticle"
    return dict(found)


def test_a_paper_in_a_volume_of_a_series() -> None:
    found = article(published(day=date(2025, 7, 8)))
    assert found["@id"] == "https://doi.org/10.5555/osprey_1"
    assert (found["pageStart"], found["pageEnd"]) == ("101", "112")
    assert found["datePublished"] == "2025-07-08"
    assert found["isPartOf"] == {
        "@type": ["Book", "PublicationVolume"],
        "name": "Proceedings of the 3rd International Conference on Trees",
        "volumeNumber": "12",
        "isPartOf": {"@type": "BookSeries", "name": "Papers in Forestry"},
    }
    assert [author["name"] for author in found["author"]] == [
        "Bo van der Berg",
        "Élise Nuñez Ibarra Jr.",
        "Aristea",
        "Birds and Bees Consortium",
    ]
    assert found["author"][0]["familyName"] == "van der Berg"
    assert found["author"][1]["@id"] == "https://orcid.org/0000-0002-1825-0097"
    assert [author["@type"] for author in found["author"]] == [*["Person"] * 3, "Organization"]


def test_a_preprint_and_a_journal() -> None:
    found = article(preprint())
    assert found["identifier"] == [
        {"@type": "PropertyValue", "propertyID": "doi", "value": "10.48550/arXiv.2412.01234"},
        {"@type": "PropertyValue", "propertyID": "arXiv", "value": "2412.01234"},
    ]
    assert (found["datePublished"], "isPartOf" in found) == ("2024", False)
    journal = {"@type": "Periodical", "name": "Annals"}
    found = article(published(form="journal", container="Annals"))
    assert found["isPartOf"] == {
        "@type": "PublicationVolume",
        "volumeNumber": "12",
        "isPartOf": journal,
    }
    found = article(published(form="journal", container="Annals", volume=""))
    assert found["isPartOf"] == journal


def test_a_title_cannot_end_the_script_that_it_stands_in() -> None:
    text = render([published(title="</script><script>alert(1)</script>")])
    assert "<" not in text
    assert json.loads(text)["@graph"][0]["name"] == "</script><script>alert(1)</script>"
