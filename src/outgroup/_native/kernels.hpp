// What each source file of the native room adds to the module.
#pragma once
#include <nanobind/nanobind.h>

void bind_products(nanobind::module_& m);
void bind_local_search(nanobind::module_& m);
