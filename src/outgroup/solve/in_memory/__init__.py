"""Algorithms that need the whole matrix in memory: local search, bisection, split and merge, the choice of k."""
