"""What became of a decision, or of the seeds of a model."""
