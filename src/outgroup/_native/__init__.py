"""The native kernels: sparse products and the loops of local search, in C++, with SciPy fallbacks."""
