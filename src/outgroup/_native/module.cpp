// The native room: the two sparse products, the sequential loops of local search, and nothing else.
#include <nanobind/nanobind.h>

#include "kernels.hpp"

NB_MODULE(_kernels, m) {
    m.doc() = "Single-threaded kernels over a span of rows; they release the interpreter lock.";
    bind_products(m);
    bind_local_search(m);
}
