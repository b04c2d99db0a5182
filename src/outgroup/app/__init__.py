"""The command line: settings, jobs from files to files, and what a person sees of them."""
