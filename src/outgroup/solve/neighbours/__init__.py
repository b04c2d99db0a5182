"""The graph of nearest neighbours: found, walked, asked, and labels spread over it."""
