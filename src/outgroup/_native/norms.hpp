// The change of the norm of a sum with its square.
#pragma once
#include <cmath>

namespace {

// ||s + delta|| - ||s|| from the change of the squared norm, without cancellation; the root is clipped at 0.
inline double difference(double norm, double change) {
    const double square = norm * norm, after = change > -square ? std::sqrt(square + change) : 0.0;
    return after + norm > 0 ? (change > -square ? change : -square) / (after + norm) : 0.0;
}

// Whether a square has cancelled to rounding errors: fewer than half of its digits are then correct.
inline bool cancels(double norm, double change) { return norm * norm + change <= 1e-4 * norm * norm; }

}  // namespace
