// Updates of all rows after one move: loops over contiguous columns, which compilers vectorise.
#pragma once
#include <cstdint>
#include <limits>

#include "multiply.hpp"

namespace {

constexpr int64_t block_rows = 256;  // rows updated together: their numbers stay in the first cache

// Update the products and bounds of rows first .. last after a move from cluster `from` to `to`.
template <class T>
struct Columns {
    int32_t from, to;
    T from_scale, to_scale;  // 1 / norm
    T *at_from, *at_to;      // the two columns of T
    const T *change, *half;  // products with the moved row; half the squared norm of each row
    const int32_t* label;
    T *top, *stay;           // bound of joining another cluster; minus the bound of leaving the own
};

template <class T>
void update(const Columns<T>& c, int64_t n) {
    const T never = -std::numeric_limits<T>::infinity();
    for (int64_t r = 0; r < n; ++r) {
        const T from = c.at_from[r] -= c.change[r], to = c.at_to[r] += c.change[r];
        const T join_from = c.label[r] == c.from ? never : (from + c.half[r]) * c.from_scale;
        const T join_to = c.label[r] == c.to ? never : (to + c.half[r]) * c.to_scale;
        const T join = join_from > join_to ? join_from : join_to;
        c.top[r] = c.top[r] > join ? c.top[r] : join;
        const T stay = c.label[r] == c.from ? (from - c.half[r]) * c.from_scale : c.stay[r];
        c.stay[r] = c.label[r] == c.to ? (to - c.half[r]) * c.to_scale : stay;
    }
}

// The first row from `row` on with a bound above `threshold`; n for none.
template <class T>
int64_t next_above(const T* top, const T* stay, int64_t row, int64_t n, T threshold) {
    while (row < n) {
        const int64_t end = least(row + block_rows, n);
        int32_t above = 0;
        for (int64_t r = row; r < end; ++r) above += top[r] - stay[r] > threshold;
        if (above > 0)
            for (; row < end; ++row)
                if (top[row] - stay[row] > threshold) return row;
        row = end;
    }
    return n;
}

// nearest[r] = the cluster of greatest cosine; a tie within `tie` stays at label[r].
template <class T>
void nearest_clusters(const T* products, const T* scale, const int32_t* label, int64_t n, int32_t k,
                      T tie, int32_t* nearest) {
    T best[block_rows];
    for (int64_t first = 0; first < n; first += block_rows) {
        const int64_t count = least(block_rows, n - first);
        for (int64_t r = 0; r < count; ++r) {
            const int32_t own = label[first + r];
            nearest[first + r] = own, best[r] = products[own * n + first + r] * scale[own] + tie;
        }
        for (int32_t j = 0; j < k; ++j)
            for (int64_t r = 0; r < count; ++r) {
                const T cosine = products[j * n + first + r] * scale[j];
                nearest[first + r] = cosine > best[r] ? j : nearest[first + r];
                best[r] = cosine > best[r] ? cosine : best[r];
            }
    }
}

}  // namespace
