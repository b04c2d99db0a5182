"""The map: a place in the plane for every document."""
