"""Off-topic documents: a score learned from examples, a threshold, and fits without what is above it."""
