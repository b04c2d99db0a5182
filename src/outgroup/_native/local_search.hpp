// Local search: single moves of rows between clusters, in sequence, in memory, on one thread.
//
// Moving row x from cluster i to j changes the objective sum_j ||s_j|| by
//     (||s_i - x|| - ||s_i||) + (||s_j + x|| - ||s_j||),      "leaving" plus "joining",
// computed exactly from the products of x with the sums s. Sweeps compute these products row by row. Batch steps and
// chains store the products T of all rows with all sums: a move changes two of its columns, by the products of all rows
// with x, from the inverted lists of the terms of x. Roots are concave, so (x.s_j + |x|^2 / 2) / ||s_j|| bounds joining
// and (|x|^2 / 2 - x.s_i) / ||s_i|| bounds leaving; only rows with a bound above the best move so far are computed
// exactly.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "buffer.hpp"
#include "inverted.hpp"
#include "moves.hpp"
#include "norms.hpp"

namespace {

struct Move {
    int64_t row;
    int32_t to;
    double gain;
};

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr int64_t many_moves = 48;  // beyond this, new products are cheaper than updates by inverted lists

// Rows x with `d` terms; the caller keeps the arrays alive. `I` is the type of the indices.
template <class T, class I>
class LocalSearch {
    struct Bound {
        T top, stay;
    };

public:

    // `most` limits the stored products: beyond it, chains use the rows with the highest bounds only.
    LocalSearch(const Csr<T, I>& x, int64_t n, int64_t d, int32_t k, int64_t most)
        : x_(x), n_(n), d_(d), k_(k), kept_(least(n, most / k > 1 ? most / k : 1)),
          stride_(k <= quarter<T> ? quarter<T> : (k + cell<T> - 1) / cell<T> * cell<T>) {}
    LocalSearch(const LocalSearch&) = delete;  // sums_ points into room_

    // Start from `labels`. False, here and below, without memory; the search is then unusable.
    [[nodiscard]] bool start(const int32_t* labels) {
        if (!(label_.make(n_) && room_.make(d_ * stride_ + cell<T>) && products_.make(stride_) && mark_.make(n_) &&
              half_.make(n_) && count_.make(k_) && live_.make(k_) && norm_.make(k_) && scale_.make(stride_)))
            return false;
        const auto first = reinterpret_cast<uintptr_t>(room_.data());
        sums_ = room_.data() + (64 - first % 64) % 64 / sizeof(T);  // rows of sums begin at cache lines
        for (int64_t r = 0; r < n_; ++r) {
            double square = 0;
            for (int64_t p = x_.indptr[r]; p < x_.indptr[r + 1]; ++p) square += double(x_.data[p]) * x_.data[p];
            label_[r] = labels[r], half_[r] = T(square / 2);
        }
        return add_up();
    }

    // Move every row to its nearest concept vector, by the same sums. `moved`: the number of moves.
    [[nodiscard]] bool batch(int64_t& moved) {
        Buffer<int32_t> nearest;
        if (!nearest.make(n_)) return false;
        if (!(kept_ == n_ ? nearest_by_products(nearest) : nearest_by_sums(nearest)) || !keep_one(nearest)) return false;
        moved = 0;
        for (int64_t r = 0; r < n_; ++r) moved += nearest[r] != label_[r];
        fresh_ = fresh_ && moved <= many_moves;
        for (int64_t r = 0; r < n_; ++r)
            if (nearest[r] != label_[r]) apply({r, nearest[r], 0.0});
        return true;
    }

    // Visit rows in the given order, and move each to the cluster with the greatest gain above `worth`.
    [[nodiscard]] bool sweep(const int32_t* order, int64_t length, double worth, int64_t& moved) {
        if (!settle()) return false;
        moved = 0;
        for (int64_t v = 0; v < length; ++v) {
            if (v + 4 < length) fetch(order[v + 4]);
            products_of(order[v]);
            const Bound limit = bound(order[v]);
            if (limit.top - limit.stay + slack <= T(worth)) continue;
            const Move move = best_move(order[v], products_.data(), 1);
            if (move.gain > worth) fresh_ = false, apply(move), ++moved;
        }
        return true;
    }

    // A Kernighan-Lin chain: up to `length` best moves, each row once; moves after the best prefix are undone.
    // `totals`, of the smaller of length and n: the gain after each of the `moves`.
    [[nodiscard]] bool chain(int64_t length, double* totals, int64_t& moves, int64_t& kept) {
        Buffer<Move> undo;
        if (!refresh() || !undo.make(least(length, n_))) return false;
        ++epoch_, kept = moves = 0;
        double total = 0, best = 0;
        while (moves < undo.size()) {
            const Move move = steepest();
            if (move.gain == never) break;
            undo[moves] = {move.row, label_[move.row], 0.0};
            mark_[move.row] = epoch_;
            totals[moves++] = total += apply(move);
            if (total > best) best = total, kept = moves;
        }
        for (int64_t m = moves; m > kept; --m) apply(undo[m - 1]);
        return true;
    }

    double objective() const {
        double total = 0;
        for (int32_t j = 0; j < k_; ++j) total += norm_[j];
        return total;
    }

    const Buffer<int32_t>& labels() const { return label_; }

private:
    // The sums, from the labels, without the rounding errors of many moves.
    [[nodiscard]] bool add_up() {
        Buffer<double> squares;
        if (!squares.make(k_)) return false;
        room_.fill(T(0)), count_.fill(0), live_.fill(0);
        for (int64_t r = 0; r < n_; ++r) {
            ++count_[label_[r]], live_[label_[r]] += half_[r] > 0;
            for (int64_t p = x_.indptr[r]; p < x_.indptr[r + 1]; ++p)
                sums_[x_.indices[p] * stride_ + label_[r]] += x_.data[p];
        }
        for (int64_t t = 0; t < d_; ++t)
            for (int32_t j = 0; j < k_; ++j) squares[j] += double(sums_[t * stride_ + j]) * sums_[t * stride_ + j];
        for (int32_t j = 0; j < k_; ++j) set_norm(j, std::sqrt(squares[j]));
        moves_ = 0, fresh_ = false;
        return true;
    }

    [[nodiscard]] bool settle() { return moves_ <= n_ / 4 + 1000 || add_up(); }

    [[nodiscard]] bool nearest_by_products(Buffer<int32_t>& nearest) {
        Buffer<T> scale;
        if (!refresh() || !directions(scale)) return false;
        nearest_clusters(all_.data(), scale.data(), label_.data(), n_, k_, tie, nearest.data());
        return true;
    }

    [[nodiscard]] bool nearest_by_sums(Buffer<int32_t>& nearest) {
        Buffer<T> scale;
        if (!settle() || !directions(scale)) return false;
        for (int64_t r = 0; r < n_; ++r) {
            products_of(r);
            nearest_clusters(products_.data(), scale.data(), &label_[r], 1, k_, tie, &nearest[r]);
        }
        return true;
    }

    // A cluster that all rows would leave and none join keeps its last row.
    [[nodiscard]] bool keep_one(Buffer<int32_t>& nearest) const {
        Buffer<int64_t> after, last;
        if (!(after.make(k_) && last.make(k_))) return false;
        for (int64_t r = 0; r < n_; ++r) ++after[nearest[r]], last[label_[r]] = r;
        for (int32_t j = 0; j < k_; ++j) {
            if (after[j] > 0) continue;
            --after[nearest[last[j]]], ++after[j];
            nearest[last[j]] = j;
            j = -1;  // the cluster that loses this row may now need its last row
        }
        return true;
    }

    // Compute the products, bounds and inverted lists of batch steps and chains.
    [[nodiscard]] bool refresh() {
        if (!settle()) return false;
        if (fresh_) return true;
        if ((place_.size() == 0 || kept_ < n_) && !choose_rows()) return false;
        for (int64_t i = 0; i < kept_; ++i) {
            products_of(row_[i]);
            for (int32_t j = 0; j < k_; ++j) all_[j * kept_ + i] = products_[j];
            own_[i] = label_[row_[i]];
            const Bound limit = bound(row_[i]);
            top_[i] = limit.top, stay_[i] = limit.stay;
        }
        return fresh_ = true;
    }

    // The rows with stored products, in their order, and their inverted lists.
    [[nodiscard]] bool choose_rows() {
        if (!(row_.make(kept_) && place_.make(n_) && own_.make(kept_) && kept_half_.make(kept_) && all_.make(k_ * kept_) &&
              top_.make(kept_) && stay_.make(kept_) && change_.make(kept_) && keep_highest()))
            return false;
        place_.fill(-1);
        for (int64_t i = 0; i < kept_; ++i) place_[row_[i]] = int32_t(i), kept_half_[i] = half_[row_[i]];
        return lists_.make(x_, row_, d_);
    }

    [[nodiscard]] bool keep_highest() {
        Buffer<int32_t> rows;
        Buffer<T> height;
        if (!(rows.make(n_) && height.make(n_))) return false;
        for (int64_t r = 0; r < n_; ++r) {
            rows[r] = int32_t(r);
            if (kept_ == n_) continue;
            products_of(r);
            const Bound limit = bound(r);
            height[r] = limit.top - limit.stay;
        }
        auto higher = [&](int32_t a, int32_t b) { return height[a] > height[b] || (height[a] == height[b] && a < b); };
        auto before = [](int32_t a, int32_t b) { return a < b; };
        if (kept_ < n_) {
            std::nth_element(rows.data(), rows.data() + kept_, rows.data() + n_, higher);
            std::sort(rows.data(), rows.data() + kept_, before);
        }
        for (int64_t i = 0; i < kept_; ++i) row_[i] = rows[i];
        return true;
    }

    void set_norm(int32_t j, double norm) {
        norm_[j] = norm, scale_[j] = T(norm > 1e-30 ? 1 / norm : 1e30);  // a sum of zero has no bound
    }

    // 1 / norm for cosines; 0 for a sum that is zero up to rounding.
    [[nodiscard]] bool directions(Buffer<T>& result) const {
        if (!result.make(k_)) return false;
        double greatest = 0;
        for (int32_t j = 0; j < k_; ++j) greatest = norm_[j] > greatest ? norm_[j] : greatest;
        const double zero = greatest * (std::is_same_v<T, float> ? 1e-6 : 1e-12);
        for (int32_t j = 0; j < k_; ++j) result[j] = norm_[j] > zero ? scale_[j] : T(0);
        return true;
    }

    void fetch(int64_t row) const {
        for (int64_t p = x_.indptr[row]; p < x_.indptr[row + 1]; p += 16) {
            OUTGROUP_PREFETCH(x_.indices + p);
            OUTGROUP_PREFETCH(x_.data + p);
        }
    }

    void products_of(int64_t row) {
        multiply_all(x_, sums_, stride_, Span{row, row + 1, nullptr}, products_.data(), stride_);
    }

    // Bounds from `products_`: of joining another cluster, and minus that of leaving the own.
    Bound bound(int64_t row) const {
        const int32_t own = label_[row];
        T top = -std::numeric_limits<T>::infinity();
        for (int32_t j = 0; j < k_; ++j) {
            const T join = (products_[j] + half_[row]) * scale_[j];
            top = j != own && join > top ? join : top;
        }
        return {top, (products_[own] - half_[row]) * scale_[own]};
    }

    double joining(int64_t row, int32_t j, double product) const {
        return difference(norm_[j], 2 * (product + half_[row]));
    }
    double leaving(int64_t row, double product) const {
        const double norm = norm_[label_[row]];
        return half_[row] > 0 && live_[label_[row]] == 1 ? -norm : difference(norm, 2 * (half_[row] - product));
    }

    // The best move of the row, exactly; none for the last row of a cluster and for a row of zeros.
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

    // The best move of all rows that this chain has not moved; ties go to the first row.
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
        consider(least(runner_up_, kept_ - 1));  // of the last move: a good threshold from the first row on
        auto next = [&](int64_t place) {
            return next_above(top_.data(), stay_.data(), place, kept_, T(best.gain) - slack);
        };
        for (int64_t i = next(0); i < kept_; i = next(i + 1)) consider(i);
        return best;
    }

    void tighten(int64_t place) {
        T top = -std::numeric_limits<T>::infinity();
        for (int32_t j = 0; j < k_; ++j)
            if (j != own_[place]) {
                const T join = (all_[j * kept_ + place] + kept_half_[place]) * scale_[j];
                top = join > top ? join : top;
            }
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

    // Update the norm of a sum after its square changed; returns the change. If the square nearly cancels, the rest is
    // rounding error: the norm is then computed from the sum, and is 0 without rows.
    double follow_norm(int32_t j, double change) {
        const double before = norm_[j];
        if (live_[j] > 0 && !cancels(before, change)) {
            const double gain = difference(before, change);
            set_norm(j, before + gain);
            return gain;
        }
        double rest = 0;
        for (int64_t t = 0; live_[j] > 0 && t < d_; ++t) rest += double(sums_[t * stride_ + j]) * sums_[t * stride_ + j];
        set_norm(j, std::sqrt(rest));
        return norm_[j] - before;
    }

    // Only rows of zeros remain: the sum and its products are zero up to rounding, and become exactly zero.
    void clear(int32_t j) {
        for (int64_t t = 0; t < d_; ++t) sums_[t * stride_ + j] = 0;
        for (int64_t i = 0; fresh_ && i < kept_; ++i) all_[j * kept_ + i] = 0;
    }

    void follow(int64_t row, int32_t from, int32_t to) {
        if (place_[row] >= 0) own_[place_[row]] = to;
        lists_.multiply(x_, row, change_);
        update<T>({from, to, scale_[from], scale_[to], all_.data() + from * kept_, all_.data() + to * kept_,
                change_.data(), kept_half_.data(), own_.data(), top_.data(), stay_.data()},
               kept_);
    }

    static constexpr T tie = std::is_same_v<T, float> ? T(1e-6) : T(1e-12);
    static constexpr T slack = std::is_same_v<T, float> ? T(4e-6) : T(1e-12);  // covers the rounding of bounds

    const Csr<T, I> x_;
    int64_t n_, d_;
    int32_t k_;
    int64_t kept_, stride_, moves_ = 0, runner_up_ = 0;
    int32_t epoch_ = 0;
    bool fresh_ = false;  // whether `all_`, `top_` and `stay_` belong to the sums
    Buffer<int32_t> label_;
    Buffer<int64_t> count_, live_;  // rows of each cluster; nonzero ones
    Buffer<double> norm_;
    Buffer<T> scale_, half_, room_, products_;
    T* sums_;                                   // d x stride, in room_: a term of a row is next to those of all clusters
    Buffer<T> all_, top_, stay_, change_, kept_half_;  // all: k x kept, products of the stored rows with every sum
    Buffer<int32_t> row_, place_, own_;                // of the stored rows: number, position, label
    Buffer<int32_t> mark_;  // the last chain that moved the row
    Inverted<T> lists_;
};

}  // namespace
