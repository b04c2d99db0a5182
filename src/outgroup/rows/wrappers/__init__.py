"""Rows made of other rows: centred, scaled, averaged, or some of them."""
