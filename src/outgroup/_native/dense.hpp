// A sweep over a block of dense rows with given products with the sums: single moves in sequence.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

#include "multiply.hpp"
#include "norms.hpp"

namespace {

// The sums of a partition (k x d), their norms and counts.
template <class T>
struct Sums {
    T* sums;
    double* norm;
    int64_t *count, *live;  // rows of each cluster; nonzero ones
    int64_t d;
    int32_t k;
};

// In lanes, so that vector registers of any width give the same bits.
template <class T>
T dot(const T* a, const T* b, int64_t d) {
    constexpr int lanes = 32;
    T sums[lanes] = {};
    int64_t t = 0;
    for (; t + lanes <= d; t += lanes)
        for (int j = 0; j < lanes; ++j) sums[j] += a[t + j] * b[t + j];
    for (int j = 0; t + j < d; ++j) sums[j] += a[t + j] * b[t + j];
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int j = 0; j < half; ++j) sums[j] += sums[j + half];
    return sums[0];
}

// Update the norm of a sum after its square changed (see norms.hpp).
template <class T>
void follow_dense(const Sums<T>& s, int32_t j, double change) {
    const double before = s.norm[j];
    T* sum = s.sums + j * s.d;
    if (s.live[j] > 0 && !cancels(before, change)) return void(s.norm[j] = before + difference(before, change));
    double rest = 0;
    for (int64_t t = 0; t < s.d; ++t) {
        if (s.live[j] == 0) sum[t] = 0;
        rest += double(sum[t]) * sum[t];
    }
    s.norm[j] = std::sqrt(rest);
}

// Move row x from one cluster to another.
template <class T>
void move_dense(const Sums<T>& s, const T* x, double half, int32_t from, int32_t to) {
    T *lost = s.sums + from * s.d, *won = s.sums + to * s.d;
    const double at_from = dot(x, lost, s.d), at_to = dot(x, won, s.d);
    for (int64_t t = 0; t < s.d; ++t) lost[t] -= x[t], won[t] += x[t];
    --s.count[from], ++s.count[to];
    if (half > 0) --s.live[from], ++s.live[to];
    follow_dense(s, from, 2 * (half - at_from));
    follow_dense(s, to, 2 * (half + at_to));
}

// The cluster with the greatest gain of Q for a row, from its products with the sums; its own if no gain is above
// `worth`. The last row of a cluster and rows of zeros stay.
template <class T>
int32_t best_cluster(const T* product, double half, int32_t own, const Sums<T>& s, double worth) {
    if (s.count[own] == 1 || half == 0) return own;
    const double norm = s.norm[own], leaving = s.live[own] == 1 ? -norm : difference(norm, 2 * (half - product[own]));
    double most = -std::numeric_limits<double>::infinity();
    int32_t to = own;
    for (int32_t j = 0; j < s.k; ++j) {
        // the tangent of the concave root bounds the gain of joining; most clusters need no root
        const double change = 2 * (double(product[j]) + half);
        if (j == own || change <= 2 * s.norm[j] * most) continue;
        const double gain = difference(s.norm[j], change);
        if (gain > most) most = gain, to = j;
    }
    return most + leaving > worth ? to : own;
}

// Visit the m rows of a block in order, and move each to its best cluster if the gain is above `worth`. `products`
// (m x k) are those with the sums on entry, and are updated by the moves. Returns the number of moves.
template <class T>
int64_t dense_block(const T* X, T* products, const T* half, int32_t* label, int64_t m, const Sums<T>& s, double worth) {
    int64_t moved = 0;
    for (int64_t i = 0; i < m; ++i) {
        const int32_t own = label[i], to = best_cluster(products + i * s.k, half[i], own, s, worth);
        if (to == own) continue;
        move_dense(s, X + i * s.d, half[i], own, to);
        label[i] = to, ++moved;
        for (int64_t later = i + 1; later < m; ++later) {
            const T inner = dot(X + i * s.d, X + later * s.d, s.d);
            products[later * s.k + own] -= inner, products[later * s.k + to] += inner;
        }
    }
    return moved;
}

// The same for few clusters, with products row by row. `order` (m) are positions in `rows`, the row numbers in X.
template <class T>
int64_t dense_sweep(const T* X, const int64_t* rows, const int32_t* order, int64_t m, const T* half, int32_t* label,
                    T* products, const Sums<T>& s, double worth) {
    int64_t moved = 0;
    for (int64_t i = 0; i < m; ++i) {
        const int32_t place = order[i], own = label[place];
        const T* x = X + rows[place] * s.d;
        if (i + 2 < m)
            for (int64_t t = 0; t < s.d; t += cell<T>) OUTGROUP_PREFETCH(X + rows[order[i + 2]] * s.d + t);
        for (int32_t j = 0; j < s.k; ++j) products[j] = dot(x, s.sums + j * s.d, s.d);
        const int32_t to = best_cluster(products, half[place], own, s, worth);
        if (to == own) continue;
        move_dense(s, x, half[place], own, to);
        label[place] = to, ++moved;
    }
    return moved;
}

}  // namespace
