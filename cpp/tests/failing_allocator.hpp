// Memory that runs out when a test wants it to.
#pragma once

#include <cstdint>

namespace harness {

// While it lives, the n-th allocation from now on (and none after it) throws std::bad_alloc; where
// only helpers are meant, those of the thread that made it do not count.
class FailingAllocation {
  public:
    enum class Of { any_thread, helpers };

    FailingAllocation(std::int64_t n, Of whose);
    ~FailingAllocation();
    FailingAllocation(const FailingAllocation&) = delete;
    FailingAllocation& operator=(const FailingAllocation&) = delete;
    bool has_failed() const;
};

}  // namespace harness
