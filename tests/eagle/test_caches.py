from __future__ import annotations

from pathlib import Path

import pytest

from eagle_impl.caches import cache_home


@pytest.mark.parametrize(
    ("given", "place"),
    [
        (None, "/home/ada/.cache"),
        ("", "/home/ada/.cache"),
        ("here", "/home/ada/.cache"),
        ("/var/kept", "/var/kept"),
    ],
)
def test_only_an_absolute_path_moves_the_caches(
    monkeypatch: pytest.MonkeyPatch, given: str | None, place: str
) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("XDG_CACHE_HOME", given or "")
    if given is None:
        monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_home() == Path(place)
