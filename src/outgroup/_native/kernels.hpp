// What each source file of the native room adds to the module, and what the compiler may have or lack.
#pragma once
#include <nanobind/nanobind.h>

void bind_products(nanobind::module_& m);
void bind_local_search(nanobind::module_& m);

// OUTGROUP_PLAIN_LOOPS builds what a compiler without vector types builds, to test it elsewhere.
#if (defined(__GNUC__) || defined(__clang__)) && !defined(OUTGROUP_PLAIN_LOOPS)
#define OUTGROUP_VECTOR_TYPES
#define OUTGROUP_INLINE inline __attribute__((always_inline))
#define OUTGROUP_PREFETCH(address) __builtin_prefetch(address)
#else
#define OUTGROUP_INLINE inline
#define OUTGROUP_PREFETCH(address) static_cast<void>(address)
#endif

#if !defined(OUTGROUP_VECTOR_TYPES)
#define OUTGROUP_UNROLL
#elif defined(__clang__)
#define OUTGROUP_UNROLL _Pragma("clang loop unroll(full)")
#else
#define OUTGROUP_UNROLL _Pragma("GCC unroll 64")
#endif
