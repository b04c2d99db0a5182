// What Python sees of local search: one class for each type of values and indices, and one function that makes the right one.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

#include "kernels.hpp"
#include "local_search.hpp"

namespace nb = nanobind;

namespace {

template <class Value>
using Vector = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Value>
nb::object to_numpy(const std::vector<Value>& values) {
    auto* copy = new std::vector<Value>(values);
    nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<1>>(copy->data(), {copy->size()}, owner));
}

// Only labels and order are looked at: the rows' indices are those of a checked matrix.
void require_within(const int32_t* numbers, int64_t count, int64_t end, const char* what) {
    for (int64_t i = 0; i < count; ++i)
        if (numbers[i] < 0 || numbers[i] >= end) throw std::invalid_argument(what);
}

template <class T, class I>
LocalSearch<T, I> local_search(Vector<I> indptr, Vector<I> indices, Vector<T> data, int64_t d, int32_t k,
                               Vector<int32_t> labels, int64_t most) {
    const auto n = int64_t(labels.shape(0));
    if (int64_t(indptr.shape(0)) != n + 1) throw std::invalid_argument("labels and rows differ in number");
    require_within(labels.data(), n, k, "a label lies outside 0 .. k - 1");
    nb::gil_scoped_release free;
    return {{indptr.data(), indices.data(), data.data(), int64_t(data.shape(0)) - 1}, n, d, k, labels.data(), most};
}

template <class T, class I>
nb::tuple chain(LocalSearch<T, I>& search, int64_t length) {
    std::vector<double> totals;
    int64_t kept = 0;
    {
        nb::gil_scoped_release free;
        totals = search.chain(length, kept);
    }
    return nb::make_tuple(to_numpy(totals), kept);
}

template <class T, class I>
int64_t sweep(LocalSearch<T, I>& search, Vector<int32_t> order, double least) {
    require_within(order.data(), int64_t(order.shape(0)), search.n(), "the order names a row that does not exist");
    nb::gil_scoped_release free;
    return search.sweep(order.data(), int64_t(order.shape(0)), least);
}

template <class T, class I>
nb::object gains(LocalSearch<T, I>& search, int64_t row) {
    if (row < 0 || row >= search.n()) throw std::invalid_argument("there is no such row");
    return to_numpy(search.gains(row));
}

template <class T, class I>
void bind(nb::module_& m, const char* name) {
    using Search = LocalSearch<T, I>;
    nb::class_<Search>(m, name)
        .def("batch", &Search::batch, nb::call_guard<nb::gil_scoped_release>())
        .def("sweep", &sweep<T, I>, nb::arg("order"), nb::arg("least"))
        .def("chain", &chain<T, I>, nb::arg("length"))
        .def("gains", &gains<T, I>, nb::arg("row"))
        .def_prop_ro("objective", &Search::objective)
        .def_prop_ro("labels", [](const Search& search) { return to_numpy(search.labels()); });
    // No conversion: a copy made on the way in would not outlive the call.
    m.def("local_search", &local_search<T, I>, nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("data").noconvert(), nb::arg("d"), nb::arg("k"), nb::arg("labels").noconvert(), nb::arg("most"),
          nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>());
}

}  // namespace

void bind_local_search(nb::module_& m) {
    bind<float, int32_t>(m, "LocalSearchFloat32");
    bind<float, int64_t>(m, "LocalSearchFloat64");
    bind<double, int32_t>(m, "LocalSearchDouble32");
    bind<double, int64_t>(m, "LocalSearchDouble64");
}
