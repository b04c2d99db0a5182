"""The report: plain data in, one HTML file, a terminal's tables or `clusters.json` out. Knows no estimator."""
