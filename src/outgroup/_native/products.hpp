// The two sparse products: scores of a span of rows, and sums of rows times their coefficients. Shapes have been checked.
#pragma once
#include <cstdint>

#include "buffer.hpp"
#include "multiply.hpp"

namespace {

// total[:, start:stop] += (X[start:stop] @ B).T in float64, where the rows of X are terms. False without memory.
template <class T, class I>
bool add_terms(const Csr<T, I>& x, const T* B, int64_t stride, int64_t start, int64_t stop, double* total,
               int64_t columns, int64_t terms) {
    constexpr int64_t tile = 32;
    Buffer<T> sums;
    if (!sums.make(tile * columns)) return false;
    for (int64_t t = start; t < stop; t += tile) {
        const int64_t end = least(t + tile, stop);
        if (x.indptr[t] == x.indptr[end]) continue;  // a block of few rows lacks most terms
        multiply_all(x, B, stride, Span{t, end, nullptr}, sums.data(), columns);
        for (int64_t c = 0; c < columns; ++c)
            for (int64_t s = t; s < end; ++s) total[c * terms + s] += sums[(s - t) * columns + c];
    }
    return true;
}

// Prefetch a row that is needed soon, since the processor cannot predict the order of rows.
template <class T, class I>
OUTGROUP_INLINE void fetch_row(const Csr<T, I>& x, int64_t row) {
    for (int64_t p = x.indptr[row]; p < x.indptr[row + 1]; p += cell<float>) {
        OUTGROUP_PREFETCH(x.indices + p);
        OUTGROUP_PREFETCH(x.data + p);
    }
}

// total[c] += sum of weights[m] * X[members[m]] over the members of column c, for columns start to stop, in float64.
template <class T, class I>
void add_members(const Csr<T, I>& x, const int64_t* edges, const int64_t* members, const double* weights, int64_t start,
                 int64_t stop, double* total, int64_t terms) {
    for (int64_t c = start; c < stop; ++c) {
        double* sum = total + c * terms;
        for (int64_t m = edges[c]; m < edges[c + 1]; ++m) {
            const int64_t row = members[m];
            const double weight = weights[m];
            if (m + 2 < edges[stop]) fetch_row(x, members[m + 2]);
            for (int64_t p = x.indptr[row]; p < x.indptr[row + 1]; ++p) sum[x.indices[p]] += weight * x.data[p];
        }
    }
}

// out += the products of all rows with one sparse row, by the lists of its terms.
template <class T, class I>
void correlate(const Csr<T, I>& x, const int64_t* terms, const T* values, int64_t count, T* out) {
    for (int64_t j = 0; j < count; ++j)
        for (int64_t p = x.indptr[terms[j]]; p < x.indptr[terms[j] + 1]; ++p) out[x.indices[p]] += values[j] * x.data[p];
}

// out[start:stop] = W.T[start:stop], padded with zeros to whole cells. A few cells of columns at a time, so that few
// rows of W are read at once.
template <class S, class T>
void lay_out(const S* W, int64_t columns, int64_t terms, int64_t start, int64_t stop, T* out, int64_t stride) {
    constexpr int64_t tile = 32, block = most_cells * cell<T>;
    for (int64_t first = 0; first < stride; first += block) {
        const int64_t width = least(block, stride - first), left = least(columns - first, width), taken = left > 0 ? left : 0;
        for (int64_t t = start; t < stop; t += tile) {
            T* line = out + t * stride + first;
            const int64_t count = least(tile, stop - t);
            for (int64_t c = 0; c < taken; ++c) {
                const S* from = W + (first + c) * terms + t;
                for (int64_t s = 0; s < count; ++s) line[s * stride + c] = static_cast<T>(from[s]);
            }
            for (int64_t s = 0; s < count; ++s)
                for (int64_t c = taken; c < width; ++c) line[s * stride + c] = T(0);
        }
    }
}

}  // namespace
