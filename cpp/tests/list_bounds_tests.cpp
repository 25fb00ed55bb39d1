#include <algorithm>
#include <vector>

#include "common/list_bounds.hpp"
#include "harness.hpp"

TEST_CASE("lists are found where they were closed") {
    const std::vector<int> items{3, 1, 4, 1, 5};
    shoal::ListBounds bounds;
    CHECK(bounds.size() == 0);
    for (const std::size_t end : {2u, 2u, 5u}) bounds.close(end);
    CHECK(bounds.size() == 3);
    const auto last = bounds.of(items, 2);
    CHECK(bounds.of(items, 1).empty());
    CHECK(std::vector<int>(last.begin(), last.end()) == std::vector<int>{4, 1, 5});
}

// 256 neighbours of each of 20 million rows: the array would take 20 GB, its bounds need not.
TEST_CASE("bounds of lists reach beyond 32 bits") {
    shoal::ListBounds bounds;
    for (const std::size_t end : {2'200'000'000ULL, 4'300'000'000ULL, 5'000'000'000ULL})
        bounds.close(end);
    CHECK(bounds.begin(1) == 2'200'000'000);
    CHECK(bounds.end(1) == 4'300'000'000);
    CHECK(bounds.end(2) - bounds.begin(2) == 700'000'000);
}
