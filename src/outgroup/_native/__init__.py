"""The native kernels: the products that touch big data, and the loops of local search, in C++ and without."""
