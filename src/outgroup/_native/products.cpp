// The two sparse products: scores of a span of rows, and the sum of its rows times their coefficients.
#include "kernels.hpp"

void bind_products(nanobind::module_&) {}
