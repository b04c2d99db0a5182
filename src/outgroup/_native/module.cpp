// The native room: the two sparse products, later the sequential loops of local search, and nothing else.
#include <nanobind/nanobind.h>

NB_MODULE(_kernels, m) { m.doc() = "Single-threaded kernels over a span of rows; they release the interpreter lock."; }
