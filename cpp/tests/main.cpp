// Runs the kernel tests. Besides doctest's own options (`--test-case=…`, `--list-test-cases`)
// `--quick` keeps to a part that is done within minutes when it is sanitized.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstring>

#include "doctest/doctest.h"
#include "harness.hpp"

namespace harness {

namespace {
bool quick_run = false;
}

bool quick() { return quick_run; }

}  // namespace harness

int main(int argument_count, char** arguments) {
    for (int i = 1; i < argument_count; ++i) {
        harness::quick_run |= std::strcmp(arguments[i], "--quick") == 0;
    }
    doctest::Context context(argument_count, arguments);
    return context.run();
}
