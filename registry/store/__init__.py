"""A registry on disk: reading files, keeping what other records need, finding it again."""
