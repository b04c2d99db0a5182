// The functions that Python calls, in C, compiled once for each instruction set into separate libraries.
#include <new>

#include "coefficients.hpp"
#include "dense.hpp"
#include "highest.hpp"
#include "local_search.hpp"
#include "moves.hpp"
#include "products.hpp"
#include "tsne.hpp"
#include "words.hpp"

#if defined(__x86_64__) || defined(_M_X64)
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#endif

// Increase it with every change of a function below: libraries of other versions are not used.
constexpr int32_t version = 5;

namespace {

#if defined(__x86_64__) || defined(_M_X64)
struct Registers {
    unsigned a, b, c, d;
};

Registers cpuid(unsigned leaf) {
    Registers r{};
#if defined(_MSC_VER)
    int out[4];
    __cpuidex(out, int(leaf), 0);
    r = {unsigned(out[0]), unsigned(out[1]), unsigned(out[2]), unsigned(out[3])};
#else
    __get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);
#endif
    return r;
}

// The registers that the operating system saves for each thread.
unsigned kept_registers() {
#if defined(_MSC_VER)
    return unsigned(_xgetbv(0));
#else
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
#endif
}

int32_t best_level() {
    const Registers one = cpuid(1);
    if (!(one.c & 1u << 27)) return 0;  // no xgetbv
    const unsigned seven = cpuid(7).b, kept = kept_registers();
    if ((kept & 0x6) != 0x6 || !(seven & 1u << 5)) return 0;
    const unsigned wide = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;  // AVX-512 F, DQ, BW, VL
    return (kept & 0xe6) == 0xe6 && (seven & wide) == wide ? 2 : 1;
}
#else
int32_t best_level() { return 0; }
#endif

}  // namespace

#define OUTGROUP_PRODUCTS(T, I, NAME)                                                                                     \
    OUTGROUP_EXPORT void scores_##NAME(const I* indptr, const I* indices, const T* data, int64_t entries, const T* B,     \
                                       int64_t stride, int64_t start, int64_t stop, const int64_t* rows, T* out,          \
                                       int64_t columns) {                                                                 \
        multiply_all(Csr<T, I>{indptr, indices, data, entries - 1}, B, stride, Span{start, stop, rows}, out, columns);    \
    }                                                                                                                     \
    OUTGROUP_EXPORT int32_t add_terms_##NAME(const I* indptr, const I* indices, const T* data, int64_t entries,           \
                                             const T* B, int64_t stride, int64_t start, int64_t stop, double* total,      \
                                             int64_t columns, int64_t terms) {                                            \
        return add_terms(Csr<T, I>{indptr, indices, data, entries - 1}, B, stride, start, stop, total, columns, terms);   \
    }                                                                                                                     \
    OUTGROUP_EXPORT void add_members_##NAME(const I* indptr, const I* indices, const T* data, int64_t entries,            \
                                            const int64_t* edges, const int64_t* members, const double* weights,          \
                                            int64_t start, int64_t stop, double* total, int64_t terms) {                  \
        add_members(Csr<T, I>{indptr, indices, data, entries - 1}, edges, members, weights, start, stop, total, terms);   \
    }                                                                                                                     \
    OUTGROUP_EXPORT void correlate_##NAME(const I* indptr, const I* indices, const T* data, int64_t entries,              \
                                          const int64_t* terms, const T* values, int64_t count, T* out) {                 \
        correlate(Csr<T, I>{indptr, indices, data, entries - 1}, terms, values, count, out);                              \
    }                                                                                                                     \
    OUTGROUP_EXPORT int32_t take_pairs_##NAME(const I* indptr, const I* indices, const T* data, int64_t entries,          \
                                              const I* term_indptr, const I* term_indices, const T* term_data,            \
                                              int64_t n, int64_t d, int64_t start, int64_t stop, int64_t count,           \
                                              int32_t* index, float* found, float* bound) {                               \
        const Csr<T, I> x{indptr, indices, data, entries - 1}, terms{term_indptr, term_indices, term_data, entries - 1};  \
        return take_pairs(x, terms, d, start, stop, Nearest{n, count, index, found, bound});                              \
    }

#define OUTGROUP_SEARCH(T, I, NAME)                                                                                       \
    OUTGROUP_EXPORT void* search_open_##NAME(const I* indptr, const I* indices, const T* data, int64_t entries,           \
                                             int64_t n, int64_t d, int32_t k, const int32_t* labels, int64_t most) {      \
        void* place = std::calloc(1, sizeof(LocalSearch<T, I>));                                                          \
        if (!place) return nullptr;                                                                                       \
        auto* search = new (place) LocalSearch<T, I>({indptr, indices, data, entries - 1}, n, d, k, most);                \
        if (search->start(labels)) return search;                                                                         \
        search->~LocalSearch<T, I>();                                                                                     \
        std::free(place);                                                                                                 \
        return nullptr;                                                                                                   \
    }                                                                                                                     \
    OUTGROUP_EXPORT void search_close_##NAME(void* search) {                                                              \
        static_cast<LocalSearch<T, I>*>(search)->~LocalSearch<T, I>();                                                    \
        std::free(search);                                                                                                \
    }                                                                                                                     \
    OUTGROUP_EXPORT int32_t search_batch_##NAME(void* search, int64_t* moved) {                                           \
        return static_cast<LocalSearch<T, I>*>(search)->batch(*moved);                                                    \
    }                                                                                                                     \
    OUTGROUP_EXPORT int32_t search_sweep_##NAME(void* search, const int32_t* order, int64_t length, double worth,         \
                                                int64_t* moved) {                                                         \
        return static_cast<LocalSearch<T, I>*>(search)->sweep(order, length, worth, *moved);                              \
    }                                                                                                                     \
    OUTGROUP_EXPORT int32_t search_chain_##NAME(void* search, int64_t length, double* totals, int64_t* moves,             \
                                                int64_t* kept) {                                                          \
        return static_cast<LocalSearch<T, I>*>(search)->chain(length, totals, *moves, *kept);                             \
    }                                                                                                                     \
    OUTGROUP_EXPORT double search_objective_##NAME(const void* search) {                                                  \
        return static_cast<const LocalSearch<T, I>*>(search)->objective();                                                \
    }                                                                                                                     \
    OUTGROUP_EXPORT const int32_t* search_labels_##NAME(const void* search) {                                             \
        return static_cast<const LocalSearch<T, I>*>(search)->labels().data();                                            \
    }

#define OUTGROUP_LAYOUT(S, T, NAME)                                                                                       \
    OUTGROUP_EXPORT void lay_out_##NAME(const S* W, int64_t columns, int64_t terms, int64_t start, int64_t stop, T* out,  \
                                        int64_t stride) {                                                                 \
        lay_out(W, columns, terms, start, stop, out, stride);                                                             \
    }

#define OUTGROUP_COEFFICIENTS(T, NAME)                                                                                    \
    OUTGROUP_EXPORT void hinges_##NAME(const T* scores, const int32_t* own, const T* weights, int64_t m, int64_t columns, \
                                       T* out) {                                                                          \
        hinges(scores, own, weights, m, columns, out);                                                                    \
    }                                                                                                                     \
    OUTGROUP_EXPORT void column_sums_##NAME(const T* values, int64_t m, int64_t columns, double* sums) {                  \
        column_sums(values, m, columns, sums);                                                                            \
    }

#define OUTGROUP_DENSE(T, NAME)                                                                                           \
    OUTGROUP_EXPORT int64_t dense_block_##NAME(const T* X, T* products, const T* half, int32_t* label, int64_t m,         \
                                               T* sums, double* norm, int64_t* count, int64_t* live, int64_t d,           \
                                               int32_t k, double worth) {                                                 \
        return dense_block(X, products, half, label, m, Sums<T>{sums, norm, count, live, d, k}, worth);                   \
    }                                                                                                                     \
    OUTGROUP_EXPORT int32_t dense_halve_##NAME(const T* X, const int64_t* rows, int64_t m, int64_t d, void* state,        \
                                               uint32_t (*next)(void*), int32_t sweeps, double tol, double worth,         \
                                               uint8_t* right, double* q) {                                               \
        return dense_halve(X, rows, m, d, Random{state, next}, sweeps, tol, worth, right, q);                             \
    }

// Names: the type of the values, then that of the indices.
#define OUTGROUP_EACH(MACRO)              \
    MACRO(float, int32_t, float32_int32)  \
    MACRO(float, int64_t, float32_int64)  \
    MACRO(double, int32_t, float64_int32) \
    MACRO(double, int64_t, float64_int64)

extern "C" {
OUTGROUP_EXPORT int32_t library_version() { return version; }
OUTGROUP_EXPORT int32_t processor_level() { return best_level(); }  // 0: none assumed, 1: AVX2, 2: AVX-512
OUTGROUP_EXPORT void highest_float32(const float* values, int64_t m, int64_t n, int64_t count, int32_t* index, float* found) {
    highest(values, m, n, count, index, found);
}
OUTGROUP_EXPORT void tsne_slope_float32(const int32_t* indptr, const int32_t* indices, const float* x, const float* y,
                                        int64_t m, float pull, float* gx, float* gy) {
    tsne_slope(indptr, indices, x, y, m, pull, gx, gy);
}
OUTGROUP_EXPORT void* words_open() {
    void* place = std::calloc(1, sizeof(Words));
    return place ? new (place) Words : nullptr;
}
OUTGROUP_EXPORT void words_close(void* words) {
    static_cast<Words*>(words)->~Words();
    std::free(words);
}
OUTGROUP_EXPORT int32_t words_add(void* words, const uint8_t* text, const int64_t* ends, int64_t n, const uint8_t* classes,
                                  int32_t numbers, int32_t* found, uint8_t* gaps, int64_t* word_ends, int64_t* lines,
                                  int64_t* line_ends) {
    return static_cast<Words*>(words)->add(text, ends, n, classes, numbers, {found, gaps, word_ends, lines, line_ends});
}
OUTGROUP_EXPORT const uint8_t* words_letters(const void* words, int64_t* size) {
    *size = static_cast<const Words*>(words)->letters.size;
    return static_cast<const Words*>(words)->letters.data;
}
OUTGROUP_EACH(OUTGROUP_PRODUCTS)
OUTGROUP_EACH(OUTGROUP_SEARCH)
OUTGROUP_LAYOUT(float, float, float32_float32)
OUTGROUP_LAYOUT(double, float, float64_float32)
OUTGROUP_LAYOUT(float, double, float32_float64)
OUTGROUP_LAYOUT(double, double, float64_float64)
OUTGROUP_COEFFICIENTS(float, float32)
OUTGROUP_COEFFICIENTS(double, float64)
OUTGROUP_DENSE(float, float32)
OUTGROUP_DENSE(double, float64)
}
