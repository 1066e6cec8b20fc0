"""Training of draft heads: data, losses, trainer."""
