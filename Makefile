# Everything a newcomer needs: `make demo` and `make test` do all the set-up themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc)
INSTALLED := $(VENV)/.installed
KERNEL_SOURCES := $(shell find cpp src/shoal/_core -not -path 'cpp/tests/*' \( -name '*.cpp' -o -name '*.hpp' -o -name CMakeLists.txt \))
KERNEL_TESTS := $(wildcard cpp/tests/*)
FORMATTED := $(shell find cpp src/shoal/_core -not -path "*/third_party/*" \( -name "*.cpp" -o -name "*.hpp" \))

.PHONY: install demo test test-slow check unit browser docs bench kernel-tests sanitize sanitize-quick sanitize-threads format clean

install: $(INSTALLED)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml constraints.txt CMakeLists.txt $(KERNEL_SOURCES) | $(BIN)/python
	@echo "[1/3] Installing the build tools"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt scikit-build-core nanobind cmake ninja
	@echo "[2/3] Building the kernels with $(JOBS) jobs and installing Shoal: some minutes the first time"
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(BIN)/python -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable '.[dev]'
	@echo "[3/3] Installing what tests compare with"
	# A peer that tests compare with; it pins older libraries than ours, but works with them.
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-deps pycanon
	cp build/editable/kernels.pyi src/shoal/_core/kernels.pyi
	# Commands start sooner, also where Python may not write bytecode itself.
	$(BIN)/python -m compileall -q src/shoal
	touch $@
	@echo "Installed. The command is $(BIN)/shoal"

demo: install
	$(BIN)/shoal demo --output demo-output --force

test: check unit

unit: install browser
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q -m "not slow"

# What takes minutes or gigabytes.
test-slow: install
	$(BIN)/python -m pytest -q -m slow

# Reports and the web app are tested in Chromium where there is one.
browser:
	@tests/browser/find-chromium.sh

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(FORMATTED)

KERNEL_BUILD = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DSHOAL_TESTS=ON

# All kernel tests as they are shipped, warnings taken for errors.
kernel-tests: build/tests/.built
	build/tests/cpp/kernel_tests

build/tests/.built: $(INSTALLED) $(KERNEL_SOURCES) $(KERNEL_TESTS)
	$(KERNEL_BUILD) -B build/tests -DCMAKE_BUILD_TYPE=Release -DSHOAL_WERROR=ON
	$(BIN)/cmake --build build/tests --parallel $(JOBS)
	touch $@

# All kernel tests under AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize: build/sanitize/.built
	build/sanitize/cpp/kernel_tests

# The part that takes a few minutes once it is built; run it after every change of a kernel.
sanitize-quick: build/sanitize/.built
	build/sanitize/cpp/kernel_tests --quick

build/sanitize/.built: $(INSTALLED) $(KERNEL_SOURCES) $(KERNEL_TESTS)
	$(KERNEL_BUILD) -B build/sanitize -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSHOAL_SANITIZE=ON
	$(BIN)/cmake --build build/sanitize --parallel $(JOBS)
	touch $@

# The tests of threaded kernels under ThreadSanitizer.
sanitize-threads: build/sanitize-threads/.built
	build/sanitize-threads/cpp/kernel_tests --quick --source-file='*threads_tests.cpp,*control_tests.cpp'

build/sanitize-threads/.built: $(INSTALLED) $(KERNEL_SOURCES) $(KERNEL_TESTS)
	$(KERNEL_BUILD) -B build/sanitize-threads -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSHOAL_SANITIZE=thread
	$(BIN)/cmake --build build/sanitize-threads --parallel $(JOBS)
	touch $@

# The documentation site, built offline into build/site; dead links are errors.
docs: install
	$(BIN)/python -m docs.build

bench: install
	$(BIN)/python -m benchmarks

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(FORMATTED)

clean:
	rm -rf $(VENV) build dist demo-output
