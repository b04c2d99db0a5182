"""Searches for what breaks Outgroup, for as long as it is given: `make fuzz`."""
