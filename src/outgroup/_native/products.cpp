// The two sparse products: scores of a span of rows, and sums of rows times their coefficients.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "dispatch.hpp"
#include "kernels.hpp"

namespace nb = nanobind;

namespace {

Level level = best_level();

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

template <class T, class I>
Csr<T, I> csr(const Vector<const I>& indptr, const Vector<const I>& indices, const Vector<const T>& data) {
    require(indices.shape(0) == data.shape(0), "indices and data differ in length");
    return {indptr.data(), indices.data(), data.data(), static_cast<int64_t>(data.shape(0)) - 1};
}

template <class T, class I>
void scores(Vector<const I> indptr, Vector<const I> indices, Vector<const T> data, Matrix<const T> B, int64_t start,
            int64_t stop, Vector<const int64_t> rows, Matrix<T> out) {
    const int64_t most = rows.is_valid() ? rows.shape(0) : indptr.shape(0) - 1, columns = out.shape(1);
    require(0 <= start && start <= stop && stop <= most, "the span lies outside the rows");
    require(out.shape(0) == size_t(stop - start) && B.shape(1) >= out.shape(1), "the result has another shape");
    require(B.shape(1) % cell<T> == 0, "the directions are not padded to whole cache lines");
    const Csr<T, I> x = csr(indptr, indices, data);
    const Span span{start, stop, rows.is_valid() ? rows.data() : nullptr};
    nb::gil_scoped_release free;
    multiply_all(level, x, B.data(), B.shape(1), span, out.data(), columns);
}

// total[:, start:stop] += (X[start:stop] @ B).T in float64, where the rows of X are terms.
template <class T, class I>
void add_terms(Vector<const I> indptr, Vector<const I> indices, Vector<const T> data, Matrix<const T> B, int64_t start,
               int64_t stop, Matrix<double> total) {
    constexpr int64_t tile = 32;
    const int64_t columns = total.shape(0), terms = total.shape(1), stride = B.shape(1);
    require(0 <= start && start <= stop && stop <= terms && terms < int64_t(indptr.shape(0)), "no such terms");
    require(stride >= columns && stride % cell<T> == 0, "the coefficients are not padded to whole cache lines");
    const Csr<T, I> x = csr(indptr, indices, data);
    nb::gil_scoped_release free;
    std::vector<T> sums(tile * columns);
    for (int64_t t = start; t < stop; t += tile) {
        const int64_t end = std::min(t + tile, stop);
        if (x.indptr[t] == x.indptr[end]) continue;  // no such terms in a few rows
        multiply_all(level, x, B.data(), stride, Span{t, end, nullptr}, sums.data(), columns);
        for (int64_t c = 0; c < columns; ++c)
            for (int64_t s = t; s < end; ++s) total.data()[c * terms + s] += sums[(s - t) * columns + c];
    }
}

// Asks for a row that is needed soon, where rows come in no order that the processor could guess.
template <class T, class I>
OUTGROUP_INLINE void fetch_row(const Csr<T, I>& x, int64_t row) {
    for (int64_t p = x.indptr[row]; p < x.indptr[row + 1]; p += cell<float>) {
        OUTGROUP_PREFETCH(x.indices + p);
        OUTGROUP_PREFETCH(x.data + p);
    }
}

// total[c] += sum of weights[m] * X[members[m]] over the members of column c, for columns start to stop, in float64.
template <class T, class I>
void add_members(Vector<const I> indptr, Vector<const I> indices, Vector<const T> data, Vector<const int64_t> edges,
                 Vector<const int64_t> members, Vector<const double> weights, int64_t start, int64_t stop,
                 Matrix<double> total) {
    require(0 <= start && start <= stop && stop <= int64_t(total.shape(0)), "no such columns");
    require(edges.shape(0) == total.shape(0) + 1, "one edge more than columns is needed");
    require(members.shape(0) == weights.shape(0), "members and weights differ in length");
    const Csr<T, I> x = csr(indptr, indices, data);
    const int64_t last = edges.data()[stop];
    nb::gil_scoped_release free;
    for (int64_t c = start; c < stop; ++c) {
        double* sum = total.data() + c * total.shape(1);
        for (int64_t m = edges.data()[c]; m < edges.data()[c + 1]; ++m) {
            const int64_t row = members.data()[m];
            const double weight = weights.data()[m];
            if (m + 2 < last) fetch_row(x, members.data()[m + 2]);
            for (int64_t p = x.indptr[row]; p < x.indptr[row + 1]; ++p) sum[x.indices[p]] += weight * x.data[p];
        }
    }
}

// out += the products of all rows with one sparse row, by the lists of its terms.
template <class T, class I>
void correlate(Vector<const I> indptr, Vector<const I> indices, Vector<const T> data, Vector<const int64_t> terms,
               Vector<const T> values, Vector<T> out) {
    require(terms.shape(0) == values.shape(0), "terms and values differ in length");
    const Csr<T, I> x = csr(indptr, indices, data);
    nb::gil_scoped_release free;
    for (size_t j = 0; j < terms.shape(0); ++j) {
        const int64_t term = terms.data()[j];
        const T value = values.data()[j];
        for (int64_t p = x.indptr[term]; p < x.indptr[term + 1]; ++p) out.data()[x.indices[p]] += value * x.data[p];
    }
}

// out[start:stop] = W.T[start:stop], padded with zeros to whole cells. A few cells of columns at a time, so that few
// rows of W are open at once.
template <class S, class T>
void lay_out(Matrix<const S> W, int64_t start, int64_t stop, Matrix<T> out) {
    constexpr int64_t tile = 32, block = most_cells * cell<T>;
    const int64_t columns = W.shape(0), terms = W.shape(1), stride = out.shape(1);
    require(0 <= start && start <= stop && stop <= terms && terms == int64_t(out.shape(0)), "no such terms");
    require(stride >= columns && stride % cell<T> == 0, "the directions do not fit into whole cache lines");
    nb::gil_scoped_release free;
    for (int64_t first = 0; first < stride; first += block) {
        const int64_t width = std::min(block, stride - first), taken = std::clamp<int64_t>(columns - first, 0, width);
        for (int64_t t = start; t < stop; t += tile) {
            T* line = out.data() + t * stride + first;
            const int64_t count = std::min(tile, stop - t);
            for (int64_t c = 0; c < taken; ++c) {
                const S* from = W.data() + (first + c) * terms + t;
                for (int64_t s = 0; s < count; ++s) line[s * stride + c] = static_cast<T>(from[s]);
            }
            for (int64_t s = 0; s < count; ++s) std::fill(line + s * stride + taken, line + s * stride + width, T(0));
        }
    }
}

template <class T, class I>
void bind_pair(nb::module_& m) {
    using nb::arg;
    const auto given = [](const char* name) { return arg(name).noconvert(); };
    m.def("scores", &scores<T, I>, given("indptr"), given("indices"), given("data"), given("directions"), arg("start"),
          arg("stop"), given("rows").none(), given("out"));
    m.def("add_terms", &add_terms<T, I>, given("indptr"), given("indices"), given("data"), given("coefficients"),
          arg("start"), arg("stop"), given("total"));
    m.def("add_members", &add_members<T, I>, given("indptr"), given("indices"), given("data"), given("edges"),
          given("members"), given("weights"), arg("start"), arg("stop"), given("total"));
    m.def("correlate", &correlate<T, I>, given("indptr"), given("indices"), given("data"), given("terms"), given("values"),
          given("out"));
}

template <class S, class T>
void bind_layout(nb::module_& m) {
    m.def("lay_out", &lay_out<S, T>, nb::arg("W").noconvert(), nb::arg("start"), nb::arg("stop"),
          nb::arg("out").noconvert());
}

}  // namespace

void bind_products(nb::module_& m) {
    bind_pair<float, int32_t>(m);
    bind_pair<float, int64_t>(m);
    bind_pair<double, int32_t>(m);
    bind_pair<double, int64_t>(m);
    bind_layout<float, float>(m);
    bind_layout<double, float>(m);
    bind_layout<float, double>(m);
    bind_layout<double, double>(m);
    nb::enum_<Level>(m, "Level").value("BASELINE", Level::baseline).value("AVX2", Level::avx2).value("AVX512", Level::avx512);
    m.def("best_level", &best_level, "The widest instruction set that this processor and this build have.");
    m.def("level", [] { return level; }, "The instruction set in use.");
    m.def("use_level", [](Level chosen) {
        require(chosen <= best_level(), "this processor or this build lacks that instruction set");
        level = chosen;
    }, "Use another instruction set, to test or to compare.");
}
