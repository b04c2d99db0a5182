"""`python -m outgroup`."""

from .app.cli import main

main()
