"""One question each: what the product does on data, beside others, and how fast (`python -m bench`)."""
