from __future__ import annotations

import pytest

from registry.equality.tracks import Group, compare_tracks, read_group, read_track
from registry.equality.venues import VenueNames

SNOW_WORKSHOP = "Proceedings of the First Workshop on Snow (at ACL 2018)"


@pytest.mark.parametrize(
    ("text", "track"),
    [
        ("ICLR 2025 Poster", "main"),
        ("NeurIPS 2024 oral", "main"),
        ("Accept (spotlight)", "main"),
        ("Conference", "main"),
        ("ICLR.cc/2025/Conference", "main"),
        ("ICML.cc/2024/Workshop/IE", "workshop"),
        ("ICLR.cc/2024/Workshop_Mexico_City/IE", "workshop"),
        ("NeurIPS.cc/2024/Track/Datasets_and_Benchmarks", "datasets-and-benchmarks"),
        ("NeurIPS 2022 Datasets and Benchmarks", "datasets-and-benchmarks"),
        ("ICML.cc/2024/Position_Paper_Track", "position"),
        ("2024.emnlp-main.422", "main"),
        ("2024.acl-long.607", "main"),
        ("2024.acl-short.9", "main"),
        ("2024.findings-acl.456", "findings"),
        ("2024.acl-srw.3", "workshop"),
        ("2024.acl-demos.3", "demo"),
        ("2024.emnlp-industry.12", "industry"),
        ("Findings of the Association for Computational Linguistics: EMNLP 2024", "findings"),
        ("Proceedings of the Second Workshop on Invented Examples", "workshop"),
        ("Conference and Workshop Papers", "workshop"),
        ("Something Else", ""),
    ],
)
def test_what_sources_write_of_tracks(text: str, track: str) -> None:
    assert read_track(text).track == track


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("ICLR.cc/2023/Conference/Rejected_Submission", "refused"),
        ("ICLR.cc/2023/Conference/Desk_Rejected_Submission", "refused"),
        ("ICLR.cc/2023/Conference/Withdrawn_Submission", "refused"),
        ("ICLR.cc/2023/Conference/Submission", "submitted"),
        ("Submitted to ICLR 2023", "submitted"),
        ("ICLR.cc/2023/Conference", "accepted"),
    ],
)
def test_openreview_s_decisions(text: str, decision: str) -> None:
    assert read_track(text).decision == decision


def test_a_venueid_taken_apart() -> None:
    assert read_group("ICLR.cc/2025/Conference") == Group("ICLR", 2025, "Conference")
    assert read_group("colmweb.org/COLM/2024/Conference") == Group("COLM", 2024, "Conference")
    assert read_group("dblp.org/conf/ICML/2020") == Group("ICML", 2020, "")
    assert read_group("ICLR 2025 Poster") is None


@pytest.mark.parametrize(
    ("recorded", "observed", "title", "outcome", "kind"),
    [
        ("main", "ICLR 2025 Poster", "", "same", ""),
        ("main", "Conference", "", "same", ""),
        ("main", "2024.emnlp-main.1", "", "same", ""),
        ("main", "2024.findings-emnlp.1", "", "different", "track"),
        ("findings", "2024.findings-emnlp.1", "", "same", ""),
        ("main", "", "Findings of the Society for Rain: ABC 2024", "different", "track"),
        ("main", "", SNOW_WORKSHOP, "different", "track"),
        ("main", "acl", SNOW_WORKSHOP, "different", "track"),
        ("workshop", "", SNOW_WORKSHOP, "same", ""),
        ("main", "", "", "cannot-tell", "not given"),
        ("main", "acl", "", "cannot-tell", "unknown track"),
        ("main", "ICLR.cc/2023/Conference/Rejected_Submission", "", "different", "not accepted"),
        ("main", "Submitted to ICLR 2023", "", "cannot-tell", "submission"),
    ],
)
def test_tracks_compared(recorded: str, observed: str, title: str, outcome: str, kind: str) -> None:
    result = compare_tracks(recorded, observed, volume_title=title)
    assert (result.outcome, result.kind) == (outcome, kind)


def test_a_workshop_found_beside_a_recorded_main_track_says_both() -> None:
    note = compare_tracks("main", "", volume_title=SNOW_WORKSHOP).note
    assert note == "“workshop” found, “main” recorded"


@pytest.mark.parametrize(
    ("recorded", "observed", "outcome"),
    [
        ("position-papers", "ICML.cc/2024/Position_Paper_Track", "same"),
        ("position-papers", "Position paper track", "same"),
        ("main", "Position paper track", "different"),
        ("main", "Main conference", "same"),
        ("workshop", "Workshops", "same"),
    ],
)
def test_a_venue_calls_its_tracks_as_it_likes(
    names: VenueNames, recorded: str, observed: str, outcome: str
) -> None:
    tracks = names.tracks_of("icml")
    assert compare_tracks(recorded, observed, tracks=tracks).outcome == outcome


def test_the_venue_s_own_findings(names: VenueNames) -> None:
    title = "Findings of the Association for Computational Linguistics: EMNLP 2024"
    result = compare_tracks("findings", "", volume_title=title, tracks=names.tracks_of("emnlp"))
    assert result.outcome == "same"
