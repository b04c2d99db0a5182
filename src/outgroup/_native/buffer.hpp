// Memory that reports a failed allocation, where the C++ library would throw.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>

template <class T>
class Buffer {
public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { std::free(data_); }

    // Allocate `size` values, all bytes 0; false without memory. Earlier values are lost.
    [[nodiscard]] bool make(int64_t size) {
        std::free(data_);
        data_ = static_cast<T*>(std::calloc(size > 0 ? size_t(size) : 1, sizeof(T)));
        size_ = data_ ? size : 0;
        return data_ != nullptr;
    }

    void fill(T value) {
        for (int64_t i = 0; i < size_; ++i) data_[i] = value;
    }
    int64_t size() const { return size_; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](int64_t i) { return data_[i]; }
    const T& operator[](int64_t i) const { return data_[i]; }

private:
    T* data_ = nullptr;
    int64_t size_ = 0;
};
