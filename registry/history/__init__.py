"""What records held before: the past that git keeps, compared by meaning."""
