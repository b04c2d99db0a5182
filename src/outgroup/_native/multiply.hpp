// Compressed rows times a term-major matrix, for one instruction set. Included once for each, inside its own namespace:
// OUTGROUP_VECTOR is the width of its registers in bytes (without it the lanes are plain numbers).
// No include guard, no includes: what is compiled here must not leak into code that runs on every machine.

template <class T>
struct Lanes {
#ifdef OUTGROUP_VECTOR
    typedef T type __attribute__((vector_size(OUTGROUP_VECTOR), aligned(alignof(T)), may_alias));
#else
    using type = T;
#endif
};

// The sums of a row over `N` cells (cache lines) of columns stay in registers while its entries pass by.
// Narrow blocks take two entries a step, so that one addition need not wait for the other.
template <class T, class I, int N>
void multiply(const Csr<T, I>& x, const T* B, int64_t stride, const Span& span, T* out, int64_t out_stride, int64_t width) {
    using V = typename Lanes<T>::type;
    constexpr int lanes = sizeof(V) / sizeof(T), count = N * cell<T> / lanes;
    for (int64_t m = span.start; m < span.stop; ++m) {
        const int64_t row = span.rows ? span.rows[m] : m;
        V even[count] = {}, odd[count] = {};
        int64_t p = x.indptr[row];
        const int64_t end = x.indptr[row + 1];
        if (N <= 2) {
            for (; p + 1 < end; p += 2) {
                prefetch<N>(x, B, stride, p + ahead);
                prefetch<N>(x, B, stride, p + ahead + 1);
                const T *one = B + x.indices[p] * stride, *two = B + x.indices[p + 1] * stride;
                const T a = x.data[p], b = x.data[p + 1];
                OUTGROUP_UNROLL
                for (int j = 0; j < count; ++j) {
                    even[j] += a * *reinterpret_cast<const V*>(one + j * lanes);
                    odd[j] += b * *reinterpret_cast<const V*>(two + j * lanes);
                }
            }
        }
        for (; p < end; ++p) {
            prefetch<N>(x, B, stride, p + ahead);
            const T* one = B + x.indices[p] * stride;
            const T a = x.data[p];
            OUTGROUP_UNROLL
            for (int j = 0; j < count; ++j) even[j] += a * *reinterpret_cast<const V*>(one + j * lanes);
        }
        T sums[N * cell<T>];
        OUTGROUP_UNROLL
        for (int j = 0; j < count; ++j) *reinterpret_cast<V*>(sums + j * lanes) = even[j] + odd[j];
        std::memcpy(out + (m - span.start) * out_stride, sums, width * sizeof(T));
    }
}

template <class T, class I>
Multiply<T, I> of_cells(int64_t cells) {
    switch (cells) {
        case 1: return multiply<T, I, 1>;
        case 2: return multiply<T, I, 2>;
        case 3: return multiply<T, I, 3>;
        default: return multiply<T, I, 4>;
    }
}
