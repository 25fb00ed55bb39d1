// Arrays as long as a table: aligned for vector loads, not cleared before use, in large pages.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace shoal {

template <class T>
struct BulkAllocator {
    using value_type = T;
    static constexpr std::size_t large = std::size_t{1} << 22;
    static constexpr std::size_t large_page = std::size_t{1} << 21;

    BulkAllocator() = default;
    template <class U>
    explicit BulkAllocator(const BulkAllocator<U>&) {}

    static std::align_val_t alignment(std::size_t count) {
        return std::align_val_t{count * sizeof(T) >= large ? large_page : 64};
    }
    T* allocate(std::size_t count) {
        void* pointer = ::operator new(count * sizeof(T), alignment(count));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        // A wish, not a need: page faults of a first pass cost more than the pass itself.
        if (count * sizeof(T) >= large) madvise(pointer, count * sizeof(T), MADV_HUGEPAGE);
#endif
        return static_cast<T*>(pointer);
    }
    void deallocate(T* pointer, std::size_t count) { ::operator delete(pointer, alignment(count)); }
    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
    bool operator==(const BulkAllocator&) const { return true; }
};

// `resize` leaves new entries without a value.
template <class T>
using BulkVector = std::vector<T, BulkAllocator<T>>;

}  // namespace shoal
