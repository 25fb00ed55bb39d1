// An array whose first elements live inside the object.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace shoal {

// Up to `Inside` elements take no memory of their own, so that reading them follows no pointer and
// copying them allocates nothing; with more, all of them move to the heap, and stay there.
template <class T, std::uint32_t Inside>
class SmallArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);

  public:
    SmallArray() = default;
    SmallArray(const SmallArray& other) {
        if (other.is_inside()) {
            kept_ = other.kept_;
        } else {
            assign(other.all());
        }
    }
    SmallArray(SmallArray&& other) noexcept : kept_(other.kept_) { other.kept_ = Kept(); }
    SmallArray& operator=(const SmallArray& other) {
        if (is_inside() && other.is_inside()) {
            kept_ = other.kept_;
        } else if (this != &other) {
            assign(other.all());
        }
        return *this;
    }
    SmallArray& operator=(SmallArray&& other) noexcept {
        std::swap(kept_, other.kept_);
        return *this;
    }
    ~SmallArray() { release(); }

    bool empty() const { return kept_.size == 0; }
    std::size_t size() const { return kept_.size; }
    T* data() { return is_inside() ? kept_.inside : kept_.heap; }
    const T* data() const { return is_inside() ? kept_.inside : kept_.heap; }
    T& operator[](std::size_t at) { return data()[at]; }
    const T& operator[](std::size_t at) const { return data()[at]; }
    std::span<const T> all() const { return {data(), kept_.size}; }

    void clear() { kept_.size = 0; }
    // These elements and no others.
    void assign(std::span<const T> elements) {
        kept_.size = 0;
        reserve(elements.size());
        std::copy(elements.begin(), elements.end(), data());
        kept_.size = static_cast<std::uint32_t>(elements.size());
    }
    void reserve(std::size_t capacity) {
        if (capacity > kept_.capacity) grow(capacity);
    }
    void insert(std::size_t at, T element) {
        if (kept_.size == kept_.capacity) grow(std::size_t{2} * kept_.capacity + 1);
        T* const first = data();
        std::copy_backward(first + at, first + kept_.size, first + kept_.size + 1);
        first[at] = element;
        ++kept_.size;
    }
    void erase(std::size_t at) {
        T* const first = data();
        std::copy(first + at + 1, first + kept_.size, first + at);
        --kept_.size;
    }

  private:
    struct Kept {
        union {
            T inside[Inside > 0 ? Inside : 1];
            T* heap;
        };
        std::uint32_t size = 0;
        std::uint32_t capacity = Inside;

        Kept() : inside{} {}
    };

    bool is_inside() const { return kept_.capacity <= Inside; }
    void release() {
        if (!is_inside()) std::allocator<T>().deallocate(kept_.heap, kept_.capacity);
    }
    // Makes room for `capacity` elements, more than there is room for now.
    void grow(std::size_t capacity) {
        T* const larger = std::allocator<T>().allocate(capacity);
        std::copy_n(data(), kept_.size, larger);
        release();
        kept_.heap = larger;
        kept_.capacity = static_cast<std::uint32_t>(capacity);
    }

    Kept kept_;
};

}  // namespace shoal
