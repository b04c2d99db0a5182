// Local search: sequential single moves of documents between clusters.
#include "kernels.hpp"

void bind_local_search(nanobind::module_&) {}
