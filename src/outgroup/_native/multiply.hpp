// The product of compressed rows and a term-major matrix.
#pragma once
#include <cstdint>
#include <cstring>

#include "kernels.hpp"

namespace {

// Rows in compressed form. The caller has checked the indices.
template <class T, class I>
struct Csr {
    const I *indptr, *indices;
    const T* data;
    int64_t last;  // position of the last stored entry
};

// Rows `start` to `stop`, of the matrix or of a list of row numbers.
struct Span {
    int64_t start, stop;
    const int64_t* rows;
};

// Columns are in cells of one cache line, for registers of any width. Few columns use a quarter of a cell, so that the
// matrix fits into a smaller cache.
template <class T>
constexpr int cell = 64 / sizeof(T);
template <class T>
constexpr int quarter = cell<T> / 4;
constexpr int most_cells = 4;  // their sums also fit into the registers of AVX2
constexpr int ahead = 32;      // entries between fetching a row of the matrix and using it

inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// The reader of `N` cells; 0 means a quarter of one.
template <class T, int N>
struct Lanes {
    static constexpr int columns = N > 0 ? N * cell<T> : quarter<T>;
#ifdef OUTGROUP_VECTOR
    typedef T type __attribute__((vector_size(N > 0 ? OUTGROUP_VECTOR : 16), aligned(alignof(T)), may_alias));
#else
    using type = T;
#endif
};

template <int N, class T, class I>
OUTGROUP_INLINE void prefetch(const Csr<T, I>& x, const T* B, int64_t stride, int64_t p) {
    const T* row = B + x.indices[p < x.last ? p : x.last] * stride;
    for (int j = 0; j < Lanes<T, N>::columns; j += cell<T>) OUTGROUP_PREFETCH(row + j);
}

// out[m] = X[m] @ B for `width` columns; the strides are those of B and of out. The sums of a row over `N` cells stay in
// registers. Narrow blocks take two entries per step, so that additions overlap; the number depends on N alone, so that
// every instruction set adds in the same order.
template <class T, class I, int N>
void multiply(const Csr<T, I>& x, const T* B, int64_t stride, const Span& span, T* out, int64_t out_stride, int64_t width) {
    using V = typename Lanes<T, N>::type;
    constexpr int lanes = sizeof(V) / sizeof(T), count = Lanes<T, N>::columns / lanes;
    for (int64_t m = span.start; m < span.stop; ++m) {
        const int64_t row = span.rows ? span.rows[m] : m;
        V even[count] = {}, odd[count] = {};
        int64_t p = x.indptr[row];
        const int64_t end = x.indptr[row + 1];
        if (N <= 2) {
            for (; p + 1 < end; p += 2) {
                prefetch<N>(x, B, stride, p + ahead);
                prefetch<N>(x, B, stride, p + ahead + 1);
                const T *one = B + x.indices[p] * stride, *two = B + x.indices[p + 1] * stride;
                const T a = x.data[p], b = x.data[p + 1];
                OUTGROUP_UNROLL
                for (int j = 0; j < count; ++j) {
                    even[j] += a * *reinterpret_cast<const V*>(one + j * lanes);
                    odd[j] += b * *reinterpret_cast<const V*>(two + j * lanes);
                }
            }
        }
        for (; p < end; ++p) {
            prefetch<N>(x, B, stride, p + ahead);
            const T* one = B + x.indices[p] * stride;
            const T a = x.data[p];
            OUTGROUP_UNROLL
            for (int j = 0; j < count; ++j) even[j] += a * *reinterpret_cast<const V*>(one + j * lanes);
        }
        T sums[Lanes<T, N>::columns];
        OUTGROUP_UNROLL
        for (int j = 0; j < count; ++j) *reinterpret_cast<V*>(sums + j * lanes) = even[j] + odd[j];
        std::memcpy(out + (m - span.start) * out_stride, sums, width * sizeof(T));
    }
}

// out = X_span @ B for all columns of out, a few cells at a time; B's rows are padded to whole cells, or to a quarter of one.
template <class T, class I>
void multiply_all(const Csr<T, I>& x, const T* B, int64_t stride, const Span& span, T* out, int64_t columns) {
    if (stride == quarter<T>) return multiply<T, I, 0>(x, B, stride, span, out, columns, columns);
    for (int64_t done = 0; done < columns; done += most_cells * cell<T>) {
        const int64_t left = columns - done, cells = least((left + cell<T> - 1) / cell<T>, most_cells);
        const auto with = [&](auto kernel) {
            kernel(x, B + done, stride, span, out + done, columns, least(left, cells * cell<T>));
        };
        switch (cells) {
            case 1: with(multiply<T, I, 1>); break;
            case 2: with(multiply<T, I, 2>); break;
            case 3: with(multiply<T, I, 3>); break;
            default: with(multiply<T, I, 4>);
        }
    }
}

}  // namespace
