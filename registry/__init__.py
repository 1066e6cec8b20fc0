"""A registry of facts about machine-learning papers, each with its evidence."""
