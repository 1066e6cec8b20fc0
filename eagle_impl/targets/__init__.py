"""Target models: the models whose output distribution is kept exactly."""
