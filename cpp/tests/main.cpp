// Runs the kernel tests; `--quick` keeps to a part that is done within a minute when sanitized.
#include <cstdio>
#include <cstring>
#include <exception>

#include "harness.hpp"

namespace harness {

namespace {
std::size_t failures_of_test = 0;
}

std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

void fail(const char* file, int line, const std::string& what) {
    if (++failures_of_test <= 5) std::printf("  %s:%d: %s\n", file, line, what.c_str());
}

}  // namespace harness

int main(int argument_count, char** arguments) {
    bool quick = false;
    for (int i = 1; i < argument_count; ++i) {
        if (std::strcmp(arguments[i], "--quick") == 0) {
            quick = true;
        } else {
            std::printf("usage: kernel_tests [--quick]\n");
            return 2;
        }
    }
    std::size_t passed = 0;
    std::size_t failed = 0;
    for (const harness::Test& test : harness::tests()) {
        harness::failures_of_test = 0;
        try {
            test.run(quick);
        } catch (const std::exception& error) {
            harness::fail(test.name.c_str(), 0, error.what());
        }
        ++(harness::failures_of_test == 0 ? passed : failed);
        std::printf("%s %s\n", harness::failures_of_test == 0 ? "pass" : "FAIL", test.name.c_str());
    }
    std::printf("%zu passed, %zu failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
