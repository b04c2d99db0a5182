// Inverted lists: for each term the rows that have it, so that one row's products with all others are a short walk.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "dispatch.hpp"

template <class T>
class Inverted {
public:
    Inverted() = default;

    // The lists of some rows of x, numbered by their places in `rows`.
    template <class I>
    Inverted(const Csr<T, I>& x, const std::vector<int32_t>& rows, int64_t d) : start_(d + 1, 0) {
        for (const int32_t r : rows)
            for (int64_t p = x.indptr[r]; p < x.indptr[r + 1]; ++p) ++start_[x.indices[p] + 1];
        for (int64_t t = 0; t < d; ++t) start_[t + 1] += start_[t];
        place_.resize(start_[d]), value_.resize(start_[d]);
        std::vector<int64_t> end(start_.begin(), start_.end() - 1);
        for (size_t i = 0; i < rows.size(); ++i)
            for (int64_t p = x.indptr[rows[i]]; p < x.indptr[rows[i] + 1]; ++p) {
                const int64_t q = end[x.indices[p]]++;
                place_[q] = int32_t(i), value_[q] = x.data[p];
            }
    }

    // out = the products of all rows listed with one row of x.
    template <class I>
    void multiply(const Csr<T, I>& x, int64_t row, std::vector<T>& out) const {
        std::fill(out.begin(), out.end(), T(0));
        for (int64_t p = x.indptr[row]; p < x.indptr[row + 1]; ++p) {
            const T factor = x.data[p];
            for (int64_t q = start_[x.indices[p]]; q < start_[x.indices[p] + 1]; ++q) out[place_[q]] += factor * value_[q];
        }
    }

private:
    std::vector<int64_t> start_;
    std::vector<int32_t> place_;
    std::vector<T> value_;
};
