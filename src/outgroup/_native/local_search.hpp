// Local search: single moves of rows between clusters, one after another. Sequential, in memory, one thread.
//
// Moving row x from cluster i to j changes the objective sum_j ||s_j|| by
//     (||s_i - x|| - ||s_i||) + (||s_j + x|| - ||s_j||),      "leaving" plus "joining",
// which the products of x with the sums s give exactly. Sweeps take these products from the sums, row by row. Batch steps
// and chains keep the products T of all rows with all sums: a move changes two of its columns, by the products of all rows
// with x, which one walk over the inverted lists of x's terms gives. Roots are concave, so (x.s_j + |x|^2 / 2) / ||s_j||
// bounds joining and (|x|^2 / 2 - x.s_i) / ||s_i|| bounds leaving; only rows whose bound beats the best move in hand are
// looked at exactly.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "dispatch.hpp"
#include "inverted.hpp"
#include "moves.hpp"

namespace {

struct Move {
    int64_t row;
    int32_t to;
    double gain;
};

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr int64_t many_moves = 48;  // a batch of more is cheaper to follow by new products than by walks

// Rows x with `d` terms; who makes one keeps the arrays alive. `I` is the type of the indices.
template <class T, class I>
class LocalSearch {
    struct Bound {
        T top, stay;
    };

public:

    // `most` bounds the products kept: above it chains work on the rows of the highest bounds alone.
    LocalSearch(const Csr<T, I>& x, int64_t n, int64_t d, int32_t k, const int32_t* labels, int64_t most)
        : x_(x), n_(n), d_(d), k_(k), kept_(std::min(n, std::max<int64_t>(most / k, 1))), stride_((k + cell<T> - 1) / cell<T> * cell<T>), label_(labels, labels + n),
          room_(d * stride_ + cell<T>), products_(stride_), mark_(n, 0) {
        const auto first = reinterpret_cast<uintptr_t>(room_.data());
        sums_ = room_.data() + (64 - first % 64) % 64 / sizeof(T);  // rows of sums begin at cache lines
        for (int64_t r = 0; r < n_; ++r) {
            double square = 0;
            for (int64_t p = x_.indptr[r]; p < x_.indptr[r + 1]; ++p) square += double(x_.data[p]) * x_.data[p];
            half_.push_back(T(square / 2));
        }
        add_up();
    }
    LocalSearch(LocalSearch&&) = default;
    LocalSearch(const LocalSearch&) = delete;  // sums_ points into room_

    // Every row to its nearest concept vector, all decided on the same sums. Returns the number of moves.
    int64_t batch() {
        std::vector<int32_t> nearest = kept_ == n_ ? nearest_by_products() : nearest_by_sums();
        keep_one(nearest);
        std::vector<Move> moves;
        for (int64_t r = 0; r < n_; ++r)
            if (nearest[r] != label_[r]) moves.push_back({r, nearest[r], 0.0});
        fresh_ = fresh_ && int64_t(moves.size()) <= many_moves;
        for (const Move& move : moves) apply(move);
        return int64_t(moves.size());
    }

    // Visit rows in the given order and move each at once to the cluster of greatest gain above `least`.
    int64_t sweep(const int32_t* order, int64_t length, double least) {
        settle();
        int64_t moved = 0;
        for (int64_t v = 0; v < length; ++v) {
            if (v + 4 < length) fetch(order[v + 4]);
            products_of(order[v]);
            const Bound limit = bound(order[v]);
            if (limit.top - limit.stay + slack <= T(least)) continue;
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
            if (move.gain == never) break;
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
    int64_t n() const { return n_; }

private:
    // The sums, from the labels alone: rounding gathers over many moves.
    void add_up() {
        std::fill(room_.begin(), room_.end(), T(0));
        std::vector<double> squares(k_, 0.0);
        count_.assign(k_, 0), live_.assign(k_, 0), norm_.assign(k_, 0.0), scale_.assign(stride_, T(0));
        for (int64_t r = 0; r < n_; ++r) {
            ++count_[label_[r]], live_[label_[r]] += half_[r] > 0;
            for (int64_t p = x_.indptr[r]; p < x_.indptr[r + 1]; ++p)
                sums_[x_.indices[p] * stride_ + label_[r]] += x_.data[p];
        }
        for (int64_t t = 0; t < d_; ++t)
            for (int32_t j = 0; j < k_; ++j) squares[j] += double(sums_[t * stride_ + j]) * sums_[t * stride_ + j];
        for (int32_t j = 0; j < k_; ++j) set_norm(j, std::sqrt(squares[j]));
        moves_ = 0, fresh_ = false;
    }

    void settle() {
        if (moves_ > n_ / 4 + 1000) add_up();
    }

    std::vector<int32_t> nearest_by_products() {
        refresh();
        std::vector<int32_t> nearest(n_);
        nearest_clusters(all_.data(), directions().data(), label_.data(), n_, k_, tie, nearest.data());
        return nearest;
    }

    std::vector<int32_t> nearest_by_sums() {
        settle();
        std::vector<int32_t> nearest(n_);
        const std::vector<T> scale = directions();
        for (int64_t r = 0; r < n_; ++r) {
            products_of(r);
            nearest_clusters(products_.data(), scale.data(), &label_[r], 1, k_, tie, &nearest[r]);
        }
        return nearest;
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
        if (place_.empty() || kept_ < n_) choose_rows();
        for (int64_t i = 0; i < kept_; ++i) {
            products_of(row_[i]);
            for (int32_t j = 0; j < k_; ++j) all_[j * kept_ + i] = products_[j];
            own_[i] = label_[row_[i]];
            const Bound limit = bound(row_[i]);
            top_[i] = limit.top, stay_[i] = limit.stay;
        }
        fresh_ = true;
    }

    // The rows whose products are kept, in their order, and the inverted lists of these.
    void choose_rows() {
        row_.resize(n_), place_.assign(n_, -1), own_.resize(kept_), kept_half_.resize(kept_);
        all_.resize(k_ * kept_), top_.resize(kept_), stay_.resize(kept_), change_.resize(kept_);
        std::iota(row_.begin(), row_.end(), 0);
        if (kept_ < n_) keep_highest();
        for (int64_t i = 0; i < kept_; ++i) place_[row_[i]] = int32_t(i), kept_half_[i] = half_[row_[i]];
        lists_ = Inverted<T>(x_, row_, d_);
    }

    void keep_highest() {
        std::vector<T> height(n_);
        for (int64_t r = 0; r < n_; ++r) {
            products_of(r);
            const Bound limit = bound(r);
            height[r] = limit.top - limit.stay;
        }
        auto higher = [&](int32_t a, int32_t b) { return height[a] > height[b] || (height[a] == height[b] && a < b); };
        std::nth_element(row_.begin(), row_.begin() + kept_, row_.end(), higher);
        row_.resize(kept_);
        std::sort(row_.begin(), row_.end());
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

    void fetch(int64_t row) const {
        for (int64_t p = x_.indptr[row]; p < x_.indptr[row + 1]; p += 16) {
            OUTGROUP_PREFETCH(x_.indices + p);
            OUTGROUP_PREFETCH(x_.data + p);
        }
    }

    void products_of(int64_t row) {
        multiply_all(level_, x_, sums_, stride_, Span{row, row + 1, nullptr}, products_.data(), stride_);
    }

    // Bounds from `products_`: of joining another cluster, and minus that of leaving one's own.
    Bound bound(int64_t row) const {
        const int32_t own = label_[row];
        T top = -std::numeric_limits<T>::infinity();
        for (int32_t j = 0; j < k_; ++j) {
            const T join = (products_[j] + half_[row]) * scale_[j];
            top = j != own && join > top ? join : top;
        }
        return {top, (products_[own] - half_[row]) * scale_[own]};
    }

    // ||s + delta|| - ||s|| from the change of the squared norm, without cancellation; the root is clipped at 0.
    static double difference(double norm, double change) {
        const double after = std::sqrt(std::max(norm * norm + change, 0.0));
        return after + norm > 0 ? std::max(change, -norm * norm) / (after + norm) : 0.0;
    }
    double joining(int64_t row, int32_t j, double product) const {
        return difference(norm_[j], 2 * (product + half_[row]));
    }
    double leaving(int64_t row, double product) const {
        const double norm = norm_[label_[row]];
        return half_[row] > 0 && live_[label_[row]] == 1 ? -norm : difference(norm, 2 * (half_[row] - product));
    }

    // The row's steepest move, exactly. A cluster's last row and a row of zeros have none.
    Move best_move(int64_t row, const T* products, int64_t step) const {
        const int32_t own = label_[row];
        Move move{row, own, never};
        if (count_[own] == 1 || half_[row] == 0) return move;
        for (int32_t j = 0; j < k_; ++j) {
            const double gain = j == own ? never : joining(row, j, products[j * step]);
            if (gain > move.gain) move.gain = gain, move.to = j;
        }
        move.gain += leaving(row, products[own * step]);
        return move;
    }

    // The steepest move of all rows that this chain has not moved; ties go to the first row.
    Move steepest() {
        Move best{-1, 0, never};
        auto consider = [&](int64_t place) {
            const int64_t row = row_[place];
            if (mark_[row] == epoch_) return;
            const Move move = best_move(row, all_.data() + place, kept_);
            tighten(place);
            if (move.gain < best.gain || (move.gain == best.gain && row >= best.row)) return;
            runner_up_ = best.row >= 0 ? place_[best.row] : runner_up_;
            best = move;
        };
        consider(std::min(runner_up_, kept_ - 1));  // of the last move: a good threshold from the first row on
        auto next = [&](int64_t place) {
            return next_above(top_.data(), stay_.data(), place, kept_, T(best.gain) - slack);
        };
        for (int64_t i = next(0); i < kept_; i = next(i + 1)) consider(i);
        return best;
    }

    void tighten(int64_t place) {
        T top = -std::numeric_limits<T>::infinity();
        for (int32_t j = 0; j < k_; ++j)
            if (j != own_[place]) top = std::max(top, (all_[j * kept_ + place] + kept_half_[place]) * scale_[j]);
        top_[place] = top;
    }

    double apply(const Move& move) {
        const int64_t row = move.row;
        const int32_t from = label_[row], to = move.to;
        double at_from = 0, at_to = 0;
        for (int64_t p = x_.indptr[row]; p < x_.indptr[row + 1]; ++p) {
            T* sum = sums_ + x_.indices[p] * stride_;
            at_from += double(x_.data[p]) * sum[from], at_to += double(x_.data[p]) * sum[to];
            sum[from] -= x_.data[p], sum[to] += x_.data[p];
        }
        --count_[from], ++count_[to], label_[row] = to, ++moves_;
        if (half_[row] > 0) --live_[from], ++live_[to];
        const double change = follow_norm(from, 2 * (double(half_[row]) - at_from)) +
                              follow_norm(to, 2 * (double(half_[row]) + at_to));
        if (fresh_) follow(row, from, to);
        if (live_[from] == 0) clear(from);
        return change;
    }

    // The norm of a sum whose square has just changed, and by how much it did. What is left of a square that all but
    // cancels is rounding, and its root is not small: it is taken from the sum itself then, and is 0 where no row is left.
    double follow_norm(int32_t j, double change) {
        const double before = norm_[j], square = before * before;
        if (live_[j] > 0 && square + change > cancelled * square) {
            const double gain = difference(before, change);
            set_norm(j, before + gain);
            return gain;
        }
        double rest = 0;
        for (int64_t t = 0; live_[j] > 0 && t < d_; ++t) rest += double(sums_[t * stride_ + j]) * sums_[t * stride_ + j];
        set_norm(j, std::sqrt(rest));
        return norm_[j] - before;
    }

    // Only rows of zeros are left: the sum is zero, and so are its products, whatever rounding left in them.
    void clear(int32_t j) {
        for (int64_t t = 0; t < d_; ++t) sums_[t * stride_ + j] = 0;
        if (fresh_) std::fill_n(all_.begin() + j * kept_, kept_, T(0));
    }

    void follow(int64_t row, int32_t from, int32_t to) {
        if (place_[row] >= 0) own_[place_[row]] = to;
        lists_.multiply(x_, row, change_);
        update({from, to, scale_[from], scale_[to], all_.data() + from * kept_, all_.data() + to * kept_,
                change_.data(), kept_half_.data(), own_.data(), top_.data(), stay_.data()},
               kept_);
    }

    static constexpr double cancelled = 1e-4;  // of a square: below, fewer than half of its digits are right
    static constexpr T tie = std::is_same_v<T, float> ? T(1e-6) : T(1e-12);
    static constexpr T slack = std::is_same_v<T, float> ? T(4e-6) : T(1e-12);  // covers the rounding of bounds

    const Csr<T, I> x_;
    const Level level_ = best_level();
    int64_t n_, d_;
    int32_t k_;
    int64_t kept_, stride_, moves_ = 0, runner_up_ = 0;
    int32_t epoch_ = 0;
    bool fresh_ = false;  // do `all_`, `top_` and `stay_` belong to the sums?
    std::vector<int32_t> label_;
    std::vector<int64_t> count_, live_;  // rows of each cluster; those that are not zero
    std::vector<double> norm_;
    std::vector<T> scale_, half_, room_, products_;
    T* sums_;                                   // d x stride, in room_, so that each term of a row brings all clusters
    std::vector<T> all_, top_, stay_, change_, kept_half_;  // all: k x kept, products of the rows kept with every sum
    std::vector<int32_t> row_, place_, own_;                // of those kept: number, place among them, label
    std::vector<int32_t> mark_;  // the last chain that moved the row
    Inverted<T> lists_;
};

}  // namespace
