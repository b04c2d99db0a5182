// Sweeps over dense rows, single moves in sequence: a block with given products with the sums, few clusters, halves.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "buffer.hpp"
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
    auto row = [&](int32_t place) { return X + rows[place] * s.d; };
    int64_t moved = 0;
    for (int64_t i = 0; i < m; ++i) {
        const int32_t place = order[i], own = label[place];
        const T* x = row(place);
        if (i + 2 < m)
            for (int64_t t = 0; t < s.d; t += cell<T>) OUTGROUP_PREFETCH(row(order[i + 2]) + t);
        for (int32_t j = 0; j < s.k; ++j) products[j] = dot(x, s.sums + j * s.d, s.d);
        const int32_t to = best_cluster(products, half[place], own, s, worth);
        if (to == own) continue;
        move_dense(s, x, half[place], own, to);
        label[place] = to, ++moved;
    }
    return moved;
}

// A generator of NumPy, and the permutations that its Generator.permutation draws: sparse rows are visited in the same
// order, and get the same groups.
struct Random {
    void* state;
    uint32_t (*next)(void*);

    uint32_t up_to(uint32_t most) {
        uint32_t mask = most, drawn;
        for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
        do drawn = next(state) & mask;
        while (drawn > most);
        return drawn;
    }
    void permute(int32_t* values, int64_t n) {
        for (int64_t i = 0; i < n; ++i) values[i] = int32_t(i);
        for (int64_t i = n - 1; i > 0; --i) std::swap(values[i], values[up_to(uint32_t(i))]);
    }
};

// The sums, norms and counts of two halves of `rows` (m), from their labels. `wide` (2 x d): room for exact sums.
template <class T>
void add_halves(const T* X, const int64_t* rows, int64_t m, const T* half, const int32_t* label, double* wide,
                const Sums<T>& s) {
    std::fill(wide, wide + 2 * s.d, 0.0);
    for (int j = 0; j < 2; ++j) s.count[j] = s.live[j] = 0, s.norm[j] = 0;
    for (int64_t i = 0; i < m; ++i) {
        const T* x = X + rows[i] * s.d;
        double* sum = wide + label[i] * s.d;
        for (int64_t t = 0; t < s.d; ++t) sum[t] += x[t];
        ++s.count[label[i]], s.live[label[i]] += half[i] > 0;
    }
    for (int64_t t = 0; t < 2 * s.d; ++t) s.norm[t / s.d] += wide[t] * wide[t], s.sums[t] = T(wide[t]);
    for (int j = 0; j < 2; ++j) s.norm[j] = std::sqrt(s.norm[j]);
}

// Split `rows` (m) of X in two by sweeps from random halves, until a sweep gains at most `tol` of Q. `right` (m): the
// second half; `q`: Q of both halves, and of all rows as one cluster. False without memory.
template <class T>
[[nodiscard]] bool dense_halve(const T* X, const int64_t* rows, int64_t m, int64_t d, Random random, int32_t sweeps,
                               double tol, double worth, uint8_t* right, double* q) {
    Buffer<int32_t> order, label;
    Buffer<T> half, sums;
    Buffer<double> wide;
    if (!(order.make(m) && label.make(m) && half.make(m) && sums.make(2 * d) && wide.make(2 * d))) return false;
    random.permute(order.data(), m);
    for (int64_t i = 0; i < m; ++i) {
        double square = 0;
        for (int64_t t = 0; t < d; ++t) square += double(X[rows[i] * d + t]) * X[rows[i] * d + t];
        half[i] = T(square / 2), label[i] = order[i] % 2;
    }
    double norm[2];
    int64_t count[2], live[2], moved = 0;
    T products[2];
    const Sums<T> s{sums.data(), norm, count, live, d, 2};
    add_halves(X, rows, m, half.data(), label.data(), wide.data(), s);
    q[1] = 0;
    for (int64_t t = 0; t < d; ++t) q[1] += (wide[t] + wide[d + t]) * (wide[t] + wide[d + t]);
    q[0] = norm[0] + norm[1], q[1] = std::sqrt(q[1]);
    for (int32_t sweep = 0; sweep < sweeps; ++sweep) {
        if (moved > m / 4 + 1000)  // without the rounding errors of many moves
            add_halves(X, rows, m, half.data(), label.data(), wide.data(), s), moved = 0;
        const double before = norm[0] + norm[1];
        random.permute(order.data(), m);
        moved += dense_sweep(X, rows, order.data(), m, half.data(), label.data(), products, s, worth);
        q[0] = norm[0] + norm[1];
        if (q[0] - before <= tol * before) break;
    }
    for (int64_t i = 0; i < m; ++i) right[i] = uint8_t(label[i]);
    return true;
}

}  // namespace
