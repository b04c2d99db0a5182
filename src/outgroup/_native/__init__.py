"""The native room: the products that touch big data, and the sequential loops of local search, in C++ and without."""

from .products import describe

__all__ = ["describe"]
