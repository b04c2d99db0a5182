// Local search: single moves of rows between clusters, one after another. Sequential, in memory, one thread.
//
// Moving row x from cluster i to j changes the objective sum_j ||s_j|| by
//     (||s_i - x|| - ||s_i||) + (||s_j + x|| - ||s_j||),      "leaving" plus "joining",
// which the products of x with the sums s give exactly. Sweeps take these products from the sums, row by row. Batch steps
// and chains keep the products T of all rows with all sums: a move changes two of its columns, by the products of all rows
// with x, which one walk over the inverted lists of x's terms gives. Roots are concave, so (x.s_j + |x|^2 / 2) / ||s_j||
// bounds joining and (|x|^2 / 2 - x.s_i) / ||s_i|| bounds leaving; only rows whose bound beats the best move in hand are
// looked at exactly.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels.hpp"

#if defined(OUTGROUP_TARGET_CLONES)  // the build has tried whether the compiler has them
#define FOR_EACH_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_CPU
#endif

namespace nb = nanobind;

namespace {

constexpr int kLanes = 8;          // clusters are padded to a multiple of this, so that inner loops have a fixed length
constexpr int64_t kBlock = 256;    // rows looked at together: their numbers stay in the first cache
constexpr int64_t kManyMoves = 48; // a batch of more moves than this is cheaper to follow by new products than by walks

template <class T>
struct LanesOf {
#ifdef OUTGROUP_VECTOR_TYPES
    typedef T type __attribute__((vector_size(kLanes * sizeof(T)), aligned(alignof(T))));
#else
    struct type {
        T lane[kLanes];
        type& operator+=(const type& other) {
            for (int j = 0; j < kLanes; ++j) lane[j] += other.lane[j];
            return *this;
        }
        friend type operator*(T factor, type numbers) {
            for (T& number : numbers.lane) number *= factor;
            return numbers;
        }
    };
#endif
};
template <class T>
using Lanes = typename LanesOf<T>::type;

// out[0 .. width * kLanes) = the row's products with that many neighbouring clusters' sums.
template <int width, class T>
OUTGROUP_INLINE void products(const T* sums, int64_t stride, const int32_t* terms, const T* values, int64_t count, T* out) {
    Lanes<T> total[width] = {};
    for (int64_t p = 0; p < count; ++p) {
        const auto* sum = reinterpret_cast<const Lanes<T>*>(sums + terms[p] * stride);
        for (int j = 0; j < width; ++j) total[j] += values[p] * sum[j];
    }
    for (int j = 0; j < width; ++j) reinterpret_cast<Lanes<T>*>(out)[j] = total[j];
}

template <class T>
OUTGROUP_INLINE void all_products(const T* sums, int64_t stride, const int32_t* terms, const T* values, int64_t count, T* out) {
    int64_t j = 0;
    for (; j + 4 * kLanes <= stride; j += 4 * kLanes) products<4>(sums + j, stride, terms, values, count, out + j);
    switch ((stride - j) / kLanes) {
        case 3: products<3>(sums + j, stride, terms, values, count, out + j); break;
        case 2: products<2>(sums + j, stride, terms, values, count, out + j); break;
        case 1: products<1>(sums + j, stride, terms, values, count, out + j); break;
    }
}

// What a move from cluster `from` to `to` changes in the products and bounds of rows first .. last.
template <class T>
struct Columns {
    int32_t from, to;
    T from_scale, to_scale;  // 1 / norm
    T *at_from, *at_to;      // the two columns of T
    const T *change, *half;  // products with the moved row; half the squared norm of each row
    const int32_t* label;
    T *top, *stay;           // bound of joining another cluster; minus the bound of leaving one's own
};

template <class T>
OUTGROUP_INLINE void update_rows(const Columns<T>& c, int64_t n) {
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

// The first row from `row` on whose bound exceeds `threshold`; n when there is none.
template <class T>
OUTGROUP_INLINE int64_t first_above(const T* top, const T* stay, int64_t row, int64_t n, T threshold) {
    while (row < n) {
        const int64_t end = std::min(row + kBlock, n);
        int32_t above = 0;
        for (int64_t r = row; r < end; ++r) above += top[r] - stay[r] > threshold;
        if (above > 0)
            for (; row < end; ++row)
                if (top[row] - stay[row] > threshold) return row;
        row = end;
    }
    return n;
}

template <class T>
OUTGROUP_INLINE void add_postings(const int32_t* rows, const T* values, int64_t count, T factor, T* out) {
    for (int64_t p = 0; p < count; ++p) out[rows[p]] += factor * values[p];
}

// nearest[r] = the cluster of greatest cosine; a tie within `tie` stays at label[r].
template <class T>
OUTGROUP_INLINE void nearest_cluster(const T* products, const T* scale, const int32_t* label, int64_t n, int32_t k, T tie,
                            int32_t* nearest) {
    T best[kBlock];
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t count = std::min(kBlock, n - first);
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

// The same loops for the processor at hand, in both precisions.
#define FOR_TYPE(T)                                                                                                       \
    FOR_EACH_CPU void row_products(const T* sums, int64_t stride, const int32_t* terms, const T* values, int64_t count,   \
                                   T* out) {                                                                              \
        all_products(sums, stride, terms, values, count, out);                                                            \
    }                                                                                                                     \
    FOR_EACH_CPU void update(const Columns<T>& columns, int64_t n) { update_rows(columns, n); }                           \
    FOR_EACH_CPU int64_t next_above(const T* top, const T* stay, int64_t row, int64_t n, T threshold) {                   \
        return first_above(top, stay, row, n, threshold);                                                                 \
    }                                                                                                                     \
    FOR_EACH_CPU void nearest_clusters(const T* products, const T* scale, const int32_t* label, int64_t n, int32_t k,     \
                                       T tie, int32_t* nearest) {                                                         \
        nearest_cluster(products, scale, label, n, k, tie, nearest);                                                      \
    }
FOR_TYPE(float)
FOR_TYPE(double)
#undef FOR_TYPE

struct Move {
    int64_t row;
    int32_t to;
    double gain;
};

constexpr double kNever = -std::numeric_limits<double>::infinity();

template <class T>
class LocalSearch {
public:
    template <class Value>
    using Array = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

    LocalSearch(Array<int64_t> indptr, Array<int32_t> indices, Array<T> data, int64_t d, int32_t k, Array<int32_t> labels)
        : indptr_(indptr), indices_(indices), data_(data), start_(indptr.data()), term_(indices.data()),
          value_(data.data()), n_(int64_t(labels.shape(0))), d_(d), k_(k), stride_((k + kLanes - 1) / kLanes * kLanes),
          label_(labels.data(), labels.data() + labels.shape(0)), sums_(d_ * stride_), products_(stride_), mark_(n_, 0) {
        nb::gil_scoped_release release;
        for (int64_t r = 0; r < n_; ++r) {
            double square = 0;
            for (int64_t p = start_[r]; p < start_[r + 1]; ++p) square += double(value_[p]) * value_[p];
            half_.push_back(T(square / 2));
        }
        add_up();
    }

    // Every row to its nearest concept vector, all decided on the same sums. Returns the number of moves.
    int64_t batch() {
        refresh();
        const T tie = std::is_same_v<T, float> ? T(1e-6) : T(1e-12);
        std::vector<int32_t> nearest(n_);
        nearest_clusters(all_.data(), directions().data(), label_.data(), n_, k_, tie, nearest.data());
        keep_one(nearest);
        std::vector<Move> moves;
        for (int64_t r = 0; r < n_; ++r)
            if (nearest[r] != label_[r]) moves.push_back({r, nearest[r], 0.0});
        fresh_ = int64_t(moves.size()) <= kManyMoves;
        for (const Move& move : moves) apply(move);
        return int64_t(moves.size());
    }

    // Visit rows in the given order and move each at once to the cluster of greatest gain above `least`.
    int64_t sweep(const int64_t* order, int64_t length, double least) {
        settle();
        int64_t moved = 0;
        for (int64_t v = 0; v < length; ++v) {
            if (v + 4 < length) prefetch(order[v + 4]);
            products_of(order[v]);
            if (bound(order[v]) <= T(least)) continue;
            const Move move = best_move(order[v], products_.data(), 1);
            if (move.gain > least) fresh_ = false, apply(move), ++moved;
        }
        return moved;
    }

    // A Kernighan-Lin chain: up to `length` steepest moves, each row once; what follows the best prefix is undone.
    // Returns the total gain after each move.
    std::vector<double> chain(int64_t length, int64_t& kept) {
        refresh();
        std::vector<double> totals;
        std::vector<Move> undo;
        ++epoch_, kept = 0;
        double total = 0, best = 0;
        while (int64_t(totals.size()) < length) {
            const Move move = steepest();
            if (move.gain == kNever) break;
            undo.push_back({move.row, label_[move.row], 0.0});
            mark_[move.row] = epoch_;
            totals.push_back(total += apply(move));
            if (total > best) best = total, kept = int64_t(totals.size());
        }
        for (; int64_t(undo.size()) > kept; undo.pop_back()) apply(undo.back());
        return totals;
    }

    // The change of the objective for moving one row to each cluster; 0 for its own.
    std::vector<double> gains(int64_t row) {
        products_of(row);
        std::vector<double> result(k_);
        for (int32_t j = 0; j < k_; ++j)
            result[j] = j == label_[row] ? 0.0 : leaving(row, products_[label_[row]]) + joining(row, j, products_[j]);
        return result;
    }

    double objective() const {
        double total = 0;
        for (const double norm : norm_) total += norm;
        return total;
    }

    const std::vector<int32_t>& labels() const { return label_; }

private:
    // The sums, from the labels alone: rounding gathers over many moves.
    void add_up() {
        std::fill(sums_.begin(), sums_.end(), T(0));
        std::vector<double> squares(k_, 0.0);
        count_.assign(k_, 0), norm_.assign(k_, 0.0), scale_.assign(stride_, T(0));
        for (int64_t r = 0; r < n_; ++r) {
            ++count_[label_[r]];
            for (int64_t p = start_[r]; p < start_[r + 1]; ++p) sums_[term_[p] * stride_ + label_[r]] += value_[p];
        }
        for (int64_t t = 0; t < d_; ++t)
            for (int32_t j = 0; j < k_; ++j) squares[j] += double(sums_[t * stride_ + j]) * sums_[t * stride_ + j];
        for (int32_t j = 0; j < k_; ++j) set_norm(j, std::sqrt(squares[j]));
        moves_ = 0, fresh_ = false;
    }

    void settle() {
        if (moves_ > n_ / 4 + 1000) add_up();
    }

    // A cluster that every row would leave and none join keeps its last row.
    void keep_one(std::vector<int32_t>& nearest) const {
        std::vector<int64_t> after(k_, 0), last(k_, 0);
        for (int64_t r = 0; r < n_; ++r) ++after[nearest[r]], last[label_[r]] = r;
        for (int32_t j = 0; j < k_; ++j) {
            if (after[j] > 0) continue;
            --after[nearest[last[j]]], ++after[j];
            nearest[last[j]] = j;
            j = -1;  // the cluster that gets one row less may need its own last row now
        }
    }

    // Products, bounds and inverted lists, ready for batch steps and chains.
    void refresh() {
        settle();
        if (fresh_) return;
        all_.resize(k_ * n_), top_.resize(n_), stay_.resize(n_), change_.resize(n_);
        if (list_start_.empty()) invert();
        for (int64_t r = 0; r < n_; ++r) {
            products_of(r);
            for (int32_t j = 0; j < k_; ++j) all_[j * n_ + r] = products_[j];
            bound(r);
        }
        fresh_ = true;
    }

    void invert() {
        list_start_.assign(d_ + 1, 0), list_row_.resize(start_[n_]), list_value_.resize(start_[n_]);
        for (int64_t p = 0; p < start_[n_]; ++p) ++list_start_[term_[p] + 1];
        for (int64_t t = 0; t < d_; ++t) list_start_[t + 1] += list_start_[t];
        std::vector<int64_t> end(list_start_.begin(), list_start_.end() - 1);
        for (int64_t r = 0; r < n_; ++r)
            for (int64_t p = start_[r]; p < start_[r + 1]; ++p) {
                const int64_t q = end[term_[p]]++;
                list_row_[q] = int32_t(r), list_value_[q] = value_[p];
            }
    }

    void set_norm(int32_t j, double norm) {
        norm_[j] = norm, scale_[j] = T(norm > 1e-30 ? 1 / norm : 1e30);  // a sum of zero: no bound, look exactly
    }

    // 1 / norm for cosines; 0 for a sum that is zero but for rounding, which has no direction.
    std::vector<T> directions() const {
        const double zero = *std::max_element(norm_.begin(), norm_.end()) * (std::is_same_v<T, float> ? 1e-6 : 1e-12);
        std::vector<T> result(k_);
        for (int32_t j = 0; j < k_; ++j) result[j] = norm_[j] > zero ? scale_[j] : T(0);
        return result;
    }

    void prefetch(int64_t row) const {
        for (int64_t p = start_[row]; p < start_[row + 1]; p += 16)
            OUTGROUP_PREFETCH(term_ + p), OUTGROUP_PREFETCH(value_ + p);
    }

    void products_of(int64_t row) {
        row_products(sums_.data(), stride_, term_ + start_[row], value_ + start_[row], start_[row + 1] - start_[row],
                     products_.data());
    }

    // Bound of the row's best gain from `products_`; remembered where all rows' bounds are kept.
    T bound(int64_t row) {
        const int32_t own = label_[row];
        T top = -std::numeric_limits<T>::infinity();
        for (int32_t j = 0; j < k_; ++j) {
            const T join = (products_[j] + half_[row]) * scale_[j];
            top = j != own && join > top ? join : top;
        }
        const T stay = (products_[own] - half_[row]) * scale_[own];
        if (!top_.empty()) top_[row] = top, stay_[row] = stay;
        return top - stay + kSlack;
    }

    // ||s + delta|| - ||s|| from the change of the squared norm, without cancellation; the root is clipped at 0.
    static double difference(double norm, double change) {
        const double after = std::sqrt(std::max(norm * norm + change, 0.0));
        return after + norm > 0 ? std::max(change, -norm * norm) / (after + norm) : 0.0;
    }
    double joining(int64_t row, int32_t j, double product) const { return difference(norm_[j], 2 * (product + half_[row])); }
    double leaving(int64_t row, double product) const {
        return count_[label_[row]] == 1 ? -norm_[label_[row]] : difference(norm_[label_[row]], 2 * (half_[row] - product));
    }

    // The row's steepest move, exactly. A cluster's last row and a row of zeros have none.
    Move best_move(int64_t row, const T* products, int64_t step) const {
        const int32_t own = label_[row];
        Move move{row, own, kNever};
        if (count_[own] == 1 || half_[row] == 0) return move;
        for (int32_t j = 0; j < k_; ++j) {
            const double gain = j == own ? kNever : joining(row, j, products[j * step]);
            if (gain > move.gain) move.gain = gain, move.to = j;
        }
        move.gain += leaving(row, products[own * step]);
        return move;
    }

    // The steepest move of all rows that this chain has not moved; ties go to the first row.
    Move steepest() {
        Move best{-1, 0, kNever};
        auto consider = [&](int64_t row) {
            if (mark_[row] == epoch_) return;
            const Move move = best_move(row, all_.data() + row, n_);
            tighten(row);
            if (move.gain < best.gain || (move.gain == best.gain && row >= best.row)) return;
            runner_up_ = best.row >= 0 ? best.row : runner_up_;
            best = move;
        };
        consider(runner_up_);  // of the last move: a good threshold from the first row on
        auto next = [&](int64_t row) {
            return next_above(top_.data(), stay_.data(), row, n_, T(best.gain) - kSlack);
        };
        for (int64_t r = next(0); r < n_; r = next(r + 1)) consider(r);
        return best;
    }

    void tighten(int64_t row) {
        T top = -std::numeric_limits<T>::infinity();
        for (int32_t j = 0; j < k_; ++j)
            if (j != label_[row]) top = std::max(top, (all_[j * n_ + row] + half_[row]) * scale_[j]);
        top_[row] = top;
    }

    double apply(const Move& move) {
        const int64_t row = move.row;
        const int32_t from = label_[row], to = move.to;
        double at_from = 0, at_to = 0;
        for (int64_t p = start_[row]; p < start_[row + 1]; ++p) {
            T* sum = sums_.data() + term_[p] * stride_;
            at_from += double(value_[p]) * sum[from], at_to += double(value_[p]) * sum[to];
            sum[from] -= value_[p], sum[to] += value_[p];
        }
        const double loss = difference(norm_[from], 2 * (double(half_[row]) - at_from));
        const double win = difference(norm_[to], 2 * (double(half_[row]) + at_to));
        set_norm(from, std::max(norm_[from] + loss, 0.0)), set_norm(to, norm_[to] + win);
        --count_[from], ++count_[to], label_[row] = to, ++moves_;
        if (fresh_) follow(row, from, to);
        return loss + win;
    }

    void follow(int64_t row, int32_t from, int32_t to) {
        std::fill(change_.begin(), change_.end(), T(0));
        for (int64_t p = start_[row]; p < start_[row + 1]; ++p) {
            const int64_t first = list_start_[term_[p]], count = list_start_[term_[p] + 1] - first;
            add_postings(list_row_.data() + first, list_value_.data() + first, count, value_[p], change_.data());
        }
        update({from, to, scale_[from], scale_[to], all_.data() + from * n_, all_.data() + to * n_, change_.data(),
                half_.data(), label_.data(), top_.data(), stay_.data()},
               n_);
    }

    static constexpr T kSlack = std::is_same_v<T, float> ? T(4e-6) : T(1e-12);  // covers the rounding of bounds

    Array<int64_t> indptr_;
    Array<int32_t> indices_;
    Array<T> data_;
    const int64_t* start_;
    const int32_t* term_;
    const T* value_;
    int64_t n_, d_;
    int32_t k_;
    int64_t stride_, moves_ = 0, runner_up_ = 0;
    int32_t epoch_ = 0;
    bool fresh_ = false;  // do `all_`, `top_` and `stay_` belong to the sums?
    std::vector<int32_t> label_;
    std::vector<int64_t> count_;
    std::vector<double> norm_;
    std::vector<T> scale_, half_, sums_, products_;  // sums: d x stride, so that each term of a row brings all clusters
    std::vector<T> all_, top_, stay_, change_;       // all: k x n, the products of every row with every sum
    std::vector<int64_t> list_start_;
    std::vector<int32_t> list_row_, mark_;
    std::vector<T> list_value_;
};

template <class Value>
nb::object to_numpy(const std::vector<Value>& values) {
    auto* copy = new std::vector<Value>(values);
    nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<1>>(copy->data(), {copy->size()}, owner));
}

template <class T>
nb::tuple chain_of(LocalSearch<T>& search, int64_t length) {
    std::vector<double> totals;
    int64_t kept = 0;
    {
        nb::gil_scoped_release release;
        totals = search.chain(length, kept);
    }
    return nb::make_tuple(to_numpy(totals), kept);
}

template <class T>
void bind(nb::module_& m, const char* name) {
    using Search = LocalSearch<T>;
    using Ints = typename Search::template Array<int64_t>;
    using Shorts = typename Search::template Array<int32_t>;
    nb::class_<Search>(m, name)
        .def(nb::init<Ints, Shorts, typename Search::template Array<T>, int64_t, int32_t, Shorts>())
        .def("batch", &Search::batch, nb::call_guard<nb::gil_scoped_release>())
        .def("sweep", [](Search& s, Ints order, double least) {
                 nb::gil_scoped_release release;
                 return s.sweep(order.data(), int64_t(order.shape(0)), least);
             })
        .def("chain", &chain_of<T>)
        .def("gains", [](Search& s, int64_t row) { return to_numpy(s.gains(row)); })
        .def_prop_ro("objective", &Search::objective)
        .def_prop_ro("labels", [](Search& s) { return to_numpy(s.labels()); });
}

}  // namespace

void bind_local_search(nb::module_& m) {
    bind<float>(m, "LocalSearchFloat");
    bind<double>(m, "LocalSearchDouble");
}
