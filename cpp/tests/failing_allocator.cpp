#include "failing_allocator.hpp"

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

namespace {

std::atomic<std::int64_t> until_failure{0};  // 0: nothing fails
std::atomic<bool> failed{false};
std::atomic<bool> spares_owner{false};
thread_local bool is_owner = false;

void count_down() {
    if (until_failure.load(std::memory_order_relaxed) == 0) return;
    if (spares_owner.load(std::memory_order_relaxed) && is_owner) return;
    std::int64_t left = until_failure.load();
    while (left > 0 && !until_failure.compare_exchange_weak(left, left - 1)) {
    }
    if (left != 1) return;
    failed.store(true);
    throw std::bad_alloc();
}

void* allocate(std::size_t size) {
    count_down();
    void* memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void* allocate(std::size_t size, std::align_val_t alignment) {
    count_down();
    const auto step = static_cast<std::size_t>(alignment);
    void* memory = std::aligned_alloc(step, (size + step - 1) / step * step);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return allocate(size, alignment);
}
// The library asks for temporary buffers this way, and gives them back to the plain delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace harness {

FailingAllocation::FailingAllocation(std::int64_t n, Of whose) {
    is_owner = true;
    spares_owner.store(whose == Of::helpers);
    failed.store(false);
    until_failure.store(n);
}

FailingAllocation::~FailingAllocation() {
    until_failure.store(0);
    is_owner = false;
}

bool FailingAllocation::has_failed() const { return failed.load(); }

}  // namespace harness
