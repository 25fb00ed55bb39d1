// The loops over class columns, built once for each instruction set, give the same bits.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "harness.hpp"
#include "scan/class_column_loops.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

// Vectorised as in a release, whatever the build of the tests.
#if !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3")
#endif
#define SHOAL_CLONED(type, name, parameters, arguments) type name parameters
#define loops loops_of_any
#include "../src/scan/class_column_loops.cpp"
#undef loops
#undef SHOAL_CLONED
#define SHOAL_CLONED(type, name, parameters, arguments) \
    __attribute__((target("avx2,bmi2,popcnt"))) type name parameters
#define loops loops_of_avx2
#include "../src/scan/class_column_loops.cpp"
#undef loops
#undef SHOAL_CLONED
#define SHOAL_CLONED(type, name, parameters, arguments) \
    __attribute__((                                     \
        target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi2,popcnt"))) type name parameters
#define loops loops_of_avx512
#include "../src/scan/class_column_loops.cpp"
#undef loops
#undef SHOAL_CLONED
#if !defined(__clang__)
#pragma GCC pop_options
#endif

namespace {

constexpr std::size_t size = 203;  // whole vectors and a rest

struct Input {
    std::vector<std::uint8_t> bytes[4], matches;
    std::vector<std::uint32_t> words[4];
    std::vector<std::int32_t> numbers;
    std::vector<float> low, high, records, loss, sum;
};

Input random_input(harness::Random& random) {
    const auto unit = [&random] { return static_cast<float>(random.unit()); };
    Input made;
    for (std::size_t c = 0; c < size; ++c) {
        for (auto& bytes : made.bytes) bytes.push_back(static_cast<std::uint8_t>(random.below(4)));
        for (auto& words : made.words) words.push_back(static_cast<std::uint32_t>(random.next()));
        made.matches.push_back(static_cast<std::uint8_t>(random.below(5)));
        made.numbers.push_back(static_cast<std::int32_t>(random.below(6)));
        made.low.push_back(unit() / 2);
        made.high.push_back(made.low.back() + unit());
        const bool empty = random.below(20) == 0;
        made.records.push_back(empty ? std::numeric_limits<float>::infinity() : 1 + 90 * unit());
        made.loss.push_back(empty ? -1.0f : unit());
        made.sum.push_back(unit());
    }
    return made;
}

// Everything that the loops in a namespace make of an input, one after another.
#define ALL_LOOPS(space)                                                                        \
    [](Input in) {                                                                              \
        namespace each = shoal::space;                                                          \
        std::vector<float> found;                                                               \
        const auto keep = [&] { found.insert(found.end(), in.sum.begin(), in.sum.end()); };     \
        const std::uint8_t* bytes[4];                                                           \
        const std::uint32_t* words[4];                                                          \
        for (int i = 0; i < 4; ++i) {                                                           \
            bytes[i] = in.bytes[i].data();                                                      \
            words[i] = in.words[i].data();                                                      \
        }                                                                                       \
        const std::uint8_t code[4] = {0, 1, 2, 3};                                              \
        const std::uint32_t bit[4] = {1u, 2u, 1u << 9, 1u << 31};                               \
        const float price[4] = {0.1f, 0.3f, 0.7f, 1.1f};                                        \
        each::count_matches(bytes[0], 1, in.matches.data(), size);                              \
        each::count_matches(bytes, code, in.matches.data(), size);                              \
        each::add_unmatched(in.matches.data(), 0.3f, 9, in.sum.data(), size);                   \
        keep();                                                                                 \
        each::add_unless_equal(in.numbers.data(), 3, 0.7f, in.sum.data(), size);                \
        each::add_unless_held(words[0], 4u, 0.3f, in.sum.data(), size);                         \
        each::add_unless_held(words, bit, price, in.sum.data(), size);                          \
        keep();                                                                                 \
        each::add_new_bits(words[1], 0xf0f1f2f3u, 0.0101f, in.sum.data(), size);                \
        keep();                                                                                 \
        each::add_widths(in.low.data(), in.high.data(), 0.2f, 0.6f, 0.3f, in.sum.data(), size); \
        keep();                                                                                 \
        each::add_if_equal(bytes[2], 2, 0.7f, in.high.data(), in.sum.data(), size);             \
        keep();                                                                                 \
        const std::vector<float> before = in.sum;                                               \
        each::to_changes(in.records.data(), in.loss.data(), 0.1f, 7.0f, 0.3f, in.low.data(),    \
                         in.sum.data(), size);                                                  \
        keep();                                                                                 \
        const std::int32_t least = each::least_ordered(in.sum.data(), size);                    \
        found.push_back(std::bit_cast<float>(least));                                           \
        in.sum = before;                                                                        \
        each::to_changes(in.matches.data(), 0.3f, 9, in.records.data(), in.loss.data(), 0.1f,   \
                         7.0f, 0.3f, in.low.data(), in.sum.data(), size);                       \
        keep();                                                                                 \
        found.push_back(static_cast<float>(                                                     \
            each::least_number(in.sum.data(), in.sum[5], in.numbers.data(), size)));            \
        return found;                                                                           \
    }(input)

bool same(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("loops over class columns round alike on every instruction set") {
    harness::Random random(17);
    const shoal::LoopSet best = shoal::best_loop_set();
    for (int round = 0; round < 20; ++round) {
        const Input input = random_input(random);
        const std::vector<float> plain = ALL_LOOPS(loops_of_any);
        CHECK(same(plain, ALL_LOOPS(loops)));
        if (best != shoal::LoopSet::any) CHECK(same(plain, ALL_LOOPS(loops_of_avx2)));
        if (best == shoal::LoopSet::avx512) CHECK(same(plain, ALL_LOOPS(loops_of_avx512)));
    }
}

TEST_CASE("SHOAL_ISA governs loops that the compiler vectorises") {
    const char* given = std::getenv("SHOAL_ISA");
    const std::string before = given == nullptr ? "" : given;
    unsetenv("SHOAL_ISA");
    const shoal::LoopSet best = shoal::best_loop_set();
    setenv("SHOAL_ISA", "scalar", 1);
    CHECK(shoal::best_loop_set() == shoal::LoopSet::any);
    setenv("SHOAL_ISA", "avx2", 1);
    CHECK(shoal::best_loop_set() == std::min(best, shoal::LoopSet::avx2));
    setenv("SHOAL_ISA", "avx512", 1);
    CHECK(shoal::best_loop_set() == best);
    setenv("SHOAL_ISA", before.c_str(), 1);  // empty is as good as none
}

#endif
