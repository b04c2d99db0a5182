"""The report: a summary as an HTML file, in `html` with the page of the workbench, or as tables in a `terminal`."""
