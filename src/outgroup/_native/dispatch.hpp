// The product of compressed rows and a term-major matrix, compiled for several instruction sets, chosen at run time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels.hpp"

// Rows in compressed form. Who makes one has checked the indices: nothing below looks at them again.
template <class T, class I>
struct Csr {
    const I *indptr, *indices;
    const T* data;
    int64_t last;  // place of the last stored entry
};

// Rows `start` to `stop`, of the matrix or of a list of row numbers.
struct Span {
    int64_t start, stop;
    const int64_t* rows;
};

// Columns come in cells of one cache line, whatever the width of the registers.
template <class T>
constexpr int cell = 64 / sizeof(T);
constexpr int most_cells = 4;  // whose sums fit into the registers of AVX2, too
constexpr int ahead = 32;      // entries between fetching a row of the matrix and using it

// out[m] = X[m] @ B for `width` columns; the strides are those of B and of out.
template <class T, class I>
using Multiply = void (*)(const Csr<T, I>& x, const T* B, int64_t stride, const Span& span, T* out, int64_t out_stride,
                          int64_t width);

template <int N, class T, class I>
OUTGROUP_INLINE void prefetch(const Csr<T, I>& x, const T* B, int64_t stride, int64_t p) {
    const T* row = B + x.indices[p < x.last ? p : x.last] * stride;
    for (int j = 0; j < N; ++j) OUTGROUP_PREFETCH(row + j * cell<T>);
}

#ifdef OUTGROUP_VECTOR_TYPES
#define OUTGROUP_VECTOR 16
#endif
namespace baseline {
#include "multiply.hpp"
}
#undef OUTGROUP_VECTOR

#if defined(OUTGROUP_VECTOR_TYPES) && defined(__x86_64__) && defined(__GNUC__)
#define OUTGROUP_X86_LEVELS
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define OUTGROUP_VECTOR 32
namespace avx2 {
#include "multiply.hpp"
}
#undef OUTGROUP_VECTOR
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx2,fma"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx2,fma")
#endif
#define OUTGROUP_VECTOR 64
namespace avx512 {
#include "multiply.hpp"
}
#undef OUTGROUP_VECTOR
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

enum class Level { baseline, avx2, avx512 };

inline Level best_level() {
#ifdef OUTGROUP_X86_LEVELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return __builtin_cpu_supports("avx512f") ? Level::avx512 : Level::avx2;
#endif
    return Level::baseline;
}

template <class T, class I>
Multiply<T, I> kernel_for(Level level, int64_t cells) {
#ifdef OUTGROUP_X86_LEVELS
    if (level == Level::avx512) return avx512::of_cells<T, I>(cells);
    if (level == Level::avx2) return avx2::of_cells<T, I>(cells);
#endif
    return baseline::of_cells<T, I>(cells);
}

// out = X_span @ B for all columns of out, a few cells at a time; B's rows are padded to whole cells.
template <class T, class I>
void multiply_all(Level level, const Csr<T, I>& x, const T* B, int64_t stride, const Span& span, T* out,
                  int64_t columns) {
    for (int64_t done = 0; done < columns; done += most_cells * cell<T>) {
        const int64_t left = columns - done, cells = std::min<int64_t>((left + cell<T> - 1) / cell<T>, most_cells);
        const auto kernel = kernel_for<T, I>(level, cells);
        kernel(x, B + done, stride, span, out + done, columns, std::min<int64_t>(left, cells * cell<T>));
    }
}
