"""Whether drafting leaves the output alone, by trial: ids that must be equal, or frequencies."""
