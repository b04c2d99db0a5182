// Inverted lists: the rows of each term, for fast products of one row with all others.
#pragma once
#include <cstdint>

#include "buffer.hpp"
#include "multiply.hpp"

namespace {

template <class T>
class Inverted {
public:
    // The lists of some rows of x, numbered by their positions in `rows`; false without memory.
    template <class I>
    [[nodiscard]] bool make(const Csr<T, I>& x, const Buffer<int32_t>& rows, int64_t d) {
        if (!start_.make(d + 1)) return false;
        for (int64_t i = 0; i < rows.size(); ++i)
            for (int64_t p = x.indptr[rows[i]]; p < x.indptr[rows[i] + 1]; ++p) ++start_[x.indices[p] + 1];
        for (int64_t t = 0; t < d; ++t) start_[t + 1] += start_[t];
        Buffer<int64_t> end;
        if (!(place_.make(start_[d]) && value_.make(start_[d]) && end.make(d))) return false;
        for (int64_t t = 0; t < d; ++t) end[t] = start_[t];
        for (int64_t i = 0; i < rows.size(); ++i)
            for (int64_t p = x.indptr[rows[i]]; p < x.indptr[rows[i] + 1]; ++p) {
                const int64_t q = end[x.indices[p]]++;
                place_[q] = int32_t(i), value_[q] = x.data[p];
            }
        return true;
    }

    // out = the products of all listed rows with one row of x.
    template <class I>
    void multiply(const Csr<T, I>& x, int64_t row, Buffer<T>& out) const {
        out.fill(T(0));
        for (int64_t p = x.indptr[row]; p < x.indptr[row + 1]; ++p) {
            const T factor = x.data[p];
            for (int64_t q = start_[x.indices[p]]; q < start_[x.indices[p] + 1]; ++q) out[place_[q]] += factor * value_[q];
        }
    }

private:
    Buffer<int64_t> start_;
    Buffer<int32_t> place_;
    Buffer<T> value_;
};

}  // namespace
