// The gradient of t-SNE for points of the plane: neighbours attract, all pairs repel. Shapes have been checked.
#pragma once
#include <cstdint>

#include "kernels.hpp"

namespace {

// Add to `fx` and `fy` (m) the force q^2 (point - other) from each other point, q = 1 / (1 + distance^2); return the sum
// of q over all ordered pairs. A pair is visited once. In lanes, so that vector registers of any width give the same bits.
double repel(const float* x, const float* y, int64_t m, float* fx, float* fy) {
    constexpr int lanes = 32;
    double total = 0;
    for (int64_t i = 0; i < m; ++i) {
        float sx[lanes] = {}, sy[lanes] = {}, sq[lanes] = {};
        const auto meet = [&](int64_t j, int lane) {
            const float dx = x[i] - x[j], dy = y[i] - y[j], q = 1.0f / (1.0f + dx * dx + dy * dy);
            const float px = q * q * dx, py = q * q * dy;
            sq[lane] += q, sx[lane] += px, sy[lane] += py;
            fx[j] -= px, fy[j] -= py;
        };
        int64_t j = i + 1;
        for (; j + lanes <= m; j += lanes)
            for (int lane = 0; lane < lanes; ++lane) meet(j + lane, lane);
        for (int lane = 0; j + lane < m; ++lane) meet(j + lane, lane);
        for (int half = lanes / 2; half > 0; half /= 2)
            for (int lane = 0; lane < half; ++lane)
                sq[lane] += sq[lane + half], sx[lane] += sx[lane + half], sy[lane] += sy[lane + half];
        fx[i] += sx[0], fy[i] += sy[0], total += 2 * double(sq[0]);
    }
    return total;
}

// The gradient at m points in `gx` and `gy` (m), zero on entry; the neighbours of point i are indices[indptr[i]] to
// indices[indptr[i + 1] - 1], and attract by `pull`.
void tsne_slope(const int32_t* indptr, const int32_t* indices, const float* x, const float* y, int64_t m, float pull,
                float* gx, float* gy) {
    const double total = repel(x, y, m, gx, gy);
    const float push = total > 0 ? float(1 / total) : 0.0f;
    for (int64_t i = 0; i < m; ++i) {
        float sx = 0, sy = 0;
        for (int32_t e = indptr[i]; e < indptr[i + 1]; ++e) {
            const float dx = x[i] - x[indices[e]], dy = y[i] - y[indices[e]], q = 1.0f / (1.0f + dx * dx + dy * dy);
            sx += q * dx, sy += q * dy;
        }
        gx[i] = 4 * (pull * sx - push * gx[i]), gy[i] = 4 * (pull * sy - push * gy[i]);
    }
}

}  // namespace
