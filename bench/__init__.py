"""Measurements: the figures the project stands by, the papers' tables, the peers (`python -m bench`)."""
