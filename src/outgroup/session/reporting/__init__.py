"""What a report, a table or the workbench shows of a version, as plain arrays and figures."""
