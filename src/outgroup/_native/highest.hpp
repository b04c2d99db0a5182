// The highest numbers of each row of a matrix, and the nearest of sparse rows. Shapes have been checked.
#pragma once
#include <cstdint>

#include "buffer.hpp"
#include "multiply.hpp"

namespace {

constexpr int64_t run = 64;  // numbers compared at once, without an early end, so that whole registers are used

// Insert a number into the `count` highest, after equal ones, which have lower columns; drops the lowest.
OUTGROUP_INLINE void put_in(float value, int64_t column, int64_t count, int32_t* index, float* found) {
    int64_t place = count - 1;
    for (; place > 0 && found[place - 1] < value; --place) found[place] = found[place - 1], index[place] = index[place - 1];
    found[place] = value, index[place] = int32_t(column);
}

// The columns of the `count` highest numbers above zero in each of m rows, and the numbers, highest first, ties by lower
// columns; padded by -1 and 0.
void highest(const float* values, int64_t m, int64_t n, int64_t count, int32_t* index, float* found) {
    for (int64_t i = 0; i < m; ++i, values += n, index += count, found += count) {
        for (int64_t c = 0; c < count; ++c) index[c] = -1, found[c] = 0.0f;
        for (int64_t start = 0; start < n; start += run) {
            const int64_t stop = least(start + run, n);
            const float bound = found[count - 1];
            int32_t above = 0;
            for (int64_t j = start; j < stop; ++j) above |= values[j] > bound;
            if (!above) continue;
            for (int64_t j = start; j < stop; ++j)
                if (values[j] > found[count - 1]) put_in(values[j], j, count, index, found);
        }
    }
}

// The nearest rows so far of each of n rows; `bound` has the lowest product of each.
struct Nearest {
    int64_t n, count;
    int32_t* index;
    float *found, *bound;

    void take(int64_t row, float value, int64_t other) {
        put_in(value, other, count, index + row * count, found + row * count);
        bound[row] = found[row * count + count - 1];
    }

    // Add the products of row i with all later rows to both lists; compares in float32.
    template <class T>
    void take_later(int64_t i, const T* products) {
        for (int64_t start = i + 1; start < n; start += run) {
            const int64_t stop = least(start + run, n);
            const float own = bound[i];
            int32_t above = 0;
            for (int64_t j = start; j < stop; ++j) {
                const float value = float(products[j]);
                above |= (value > own) | (value > bound[j]);
            }
            if (!above) continue;
            for (int64_t j = start; j < stop; ++j) {
                const float value = float(products[j]);
                if (value > bound[i]) take(i, value, j);
                if (value > bound[j]) take(j, value, i);
            }
        }
    }
};

// Multiply rows `start` to `stop` with all later rows, each pair once; `terms` is the transpose of x, in the order of its
// rows. False without memory.
template <class T, class I>
bool take_pairs(const Csr<T, I>& x, const Csr<T, I>& terms, int64_t d, int64_t start, int64_t stop, Nearest nearest) {
    Buffer<int64_t> later;  // start of the rows after the current one in the list of each term
    Buffer<T> products;
    if (!(later.make(d) && products.make(nearest.n))) return false;
    for (int64_t t = 0; t < d; ++t) later[t] = terms.indptr[t];
    for (int64_t p = 0; p < x.indptr[start]; ++p) ++later[x.indices[p]];
    for (int64_t i = start; i < stop; ++i) {
        for (int64_t j = i; j < nearest.n; ++j) products[j] = T(0);
        for (int64_t p = x.indptr[i]; p < x.indptr[i + 1]; ++p) {
            const int64_t t = x.indices[p], end = terms.indptr[t + 1];
            for (int64_t q = ++later[t]; q < end; ++q) products[terms.indices[q]] += x.data[p] * terms.data[q];
        }
        nearest.take_later(i, products.data());
    }
    return true;
}

}  // namespace
