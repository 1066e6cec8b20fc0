"""Trees that are watched while they grow."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from eagle_impl.trees import DraftTree, Frontier, Growth

ROOT = 99

Words = tuple[int, ...]


def watched(
    growth: Growth, after: Callable[[Words], Tensor]
) -> tuple[DraftTree, list[list[Words]]]:
    """Drive a growth with log-probabilities by path; the tree and what each frontier held."""
    held: list[list[Words]] = []
    columns: list[Words] = []
    rows: list[Words] = [()]
    while (frontier := growth.grow(torch.stack([after(path) for path in rows]))) is not None:
        rows = [
            (*rows[source], token)
            for source, token in zip(
                frontier.sources.tolist(), frontier.tokens.tolist(), strict=True
            )
        ]
        columns += rows
        assert seen_paths(frontier, columns) == rows
        held.append(rows)
    return growth.tree(), held


def seen_paths(frontier: Frontier, columns: list[Words]) -> list[Words]:
    """What each node of a frontier sees, read through the mask: its own path, node by node."""
    assert frontier.mask.dtype == torch.bool
    assert frontier.mask.shape == (frontier.tokens.numel(), len(columns))
    paths = []
    for row in frontier.mask.tolist():
        nodes = [path for path, seen in zip(columns, row, strict=True) if seen]
        assert [len(node) for node in nodes] == list(range(1, len(nodes) + 1))
        assert all(nodes[-1][: len(node)] == node for node in nodes)
        paths.append(nodes[-1])
    return paths


def paths_of(tree: DraftTree) -> list[Words]:
    """Drafted nodes as tokens from below the root."""
    tokens, parents = tree.tokens.tolist(), tree.parents.tolist()
    assert (tokens[0], parents[0]) == (ROOT, -1)
    paths: list[Words] = [()]
    for node in range(1, len(tokens)):
        assert 0 <= parents[node] < node
        paths.append((*paths[parents[node]], tokens[node]))
    return paths[1:]


def logs(*probabilities: float) -> Tensor:
    return torch.tensor(probabilities).log()


def ranked(path: Words) -> Tensor:
    """Column r is the child of rank r, so that paths of tokens are paths of ranks."""
    return logs(0.4, 0.3, 0.15, 0.1, 0.05)
