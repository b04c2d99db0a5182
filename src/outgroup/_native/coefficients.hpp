// The coefficients of the margin rule for a block of scores, and sums of coefficients. Shapes have been checked.
#pragma once
#include <cstdint>

#include "kernels.hpp"

namespace {

// out[i, c] = -weights[i] for each rival c with a score within 1 of row i's own, 0 for others; in its own column the
// weight times their number. Without weights each is 1.
template <class T>
void hinges(const T* scores, const int32_t* own, const T* weights, int64_t m, int64_t columns, T* out) {
    for (int64_t i = 0; i < m; ++i, scores += columns, out += columns) {
        const T least = scores[own[i]] - T(1), weight = weights ? weights[i] : T(1);
        int32_t count = 0;
        for (int64_t c = 0; c < columns; ++c) {
            const bool violated = scores[c] >= least;
            out[c] = violated ? -weight : T(0);
            count += violated;
        }
        count -= scores[own[i]] >= least;
        out[own[i]] = T(count) * weight;
    }
}

// sums[c] += values[i, c] over the rows, in their order, in float64.
template <class T>
void column_sums(const T* values, int64_t m, int64_t columns, double* sums) {
    for (int64_t i = 0; i < m; ++i, values += columns)
        for (int64_t c = 0; c < columns; ++c) sums[c] += values[c];
}

}  // namespace
