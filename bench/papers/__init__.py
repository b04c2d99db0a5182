"""The papers' tables and figures: what a definition asks for, run once and kept, then shown beside the paper."""
