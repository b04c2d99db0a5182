"""`python -m outgroup`."""

from .cli import main

main()
