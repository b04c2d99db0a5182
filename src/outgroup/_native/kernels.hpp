// Features of compilers. The kernels use headers of the C++ library, never its run time (no exceptions, no `new`), so any
// compiler can link them, and one library serves every Python (docs/decisions/0008).
#pragma once

// Whole files are compiled once for each instruction set, into separate libraries, so that none uses code of another.
// OUTGROUP_PLAIN_LOOPS builds the code for compilers without vector types, for tests.
#if (defined(__GNUC__) || defined(__clang__)) && !defined(OUTGROUP_PLAIN_LOOPS)
#if defined(__AVX512F__)
#define OUTGROUP_VECTOR 64  // bytes of a register
#elif defined(__AVX2__)
#define OUTGROUP_VECTOR 32
#else
#define OUTGROUP_VECTOR 16
#endif
#define OUTGROUP_INLINE inline __attribute__((always_inline))
#define OUTGROUP_PREFETCH(address) __builtin_prefetch(address)
#else
#define OUTGROUP_INLINE inline
#define OUTGROUP_PREFETCH(address) static_cast<void>(address)
#endif

#if !defined(OUTGROUP_VECTOR)
#define OUTGROUP_UNROLL
#elif defined(__clang__)
#define OUTGROUP_UNROLL _Pragma("clang loop unroll(full)")
#else
#define OUTGROUP_UNROLL _Pragma("GCC unroll 64")
#endif

#if defined(_WIN32)
#define OUTGROUP_EXPORT __declspec(dllexport)
#else
#define OUTGROUP_EXPORT __attribute__((visibility("default")))
#endif
