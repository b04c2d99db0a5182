"""Native kernels in C++ for sparse products and local search, with SciPy versions as a fallback."""
