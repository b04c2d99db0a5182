"""A summary as one HTML file, and the page of the workbench."""
