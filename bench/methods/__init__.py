"""What the papers compare: every method by its name, and what methods have in common."""
