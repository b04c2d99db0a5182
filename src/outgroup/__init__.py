"""Outgroup: steerable document clustering."""
