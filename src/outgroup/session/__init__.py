"""One collection, a person's decisions, and the versions that fits made of them."""
