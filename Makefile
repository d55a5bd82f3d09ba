# Every target is one command on a fresh Debian or Ubuntu with python3, python3-venv, make and g++;
# all else comes from PyPI into .venv. What is there is not made again: a second run is fast.
#
# CUDA is built for the GPUs of this machine, where nvcc works; where there is no GPU, nobody can run
# it, and it is left out. CUDA=ON compiles it all the same.

PYTHON ?= python3
JOBS ?= $(shell nproc)
CUDA ?=
BENCH ?=
MINUTES ?= 5
FUZZ ?=
TESTS ?=
COMPILERS ?=
SEED ?=
SINCE ?=
EXPERIMENT ?=

# Without CUDA=, for the GPUs that are there.
GPUS := $(shell nvidia-smi -L 2> /dev/null)
WITH_CUDA := $(or $(CUDA),$(if $(GPUS),AUTO,OFF))
LEFT_OUT = $(if $(CUDA),,$(if $(filter OFF,$(WITH_CUDA)),$(if $(shell command -v nvcc), \
    CUDA is left out: there is nvcc but no GPU (make CUDA=ON compiles it all the same).)))

VENV := .venv
BIN := $(VENV)/bin
DONE := $(VENV)/done
BUILD := build/package
EMULATED := build/emulated
FAULTS := build/faults
FLOORS := build/floors
# For builds of the module that are not installed, but run from their build folders.
MODULE_OPTIONS = -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
    -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
    -Dpybind11_DIR=$$($(BIN)/python -m pybind11 --cmakedir) \
    $$($(BIN)/python scripts/python_headers.py $(VENV) | sed 's/-C cmake.define./-D/')
# For the package that is installed: the default options, as users have them.
PACKAGE_OPTIONS = --no-build-isolation -C build-dir=$(BUILD) \
    -C cmake.define.WARPGRAPH_CUDA=$(WITH_CUDA) \
    -C cmake.define.WARPGRAPH_TESTS=ON -C cmake.define.WARPGRAPH_EXPERIMENTS=ON \
    $$($(BIN)/python scripts/python_headers.py $(VENV))
# Without detect_stack_use_after_return: GCC 13 switches it on, and its copies of stack frames are
# not aligned for the vectors of AVX-512.
SANITIZED = LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1 \
    UBSAN_OPTIONS=print_stacktrace=1 \
    PYTHONPATH=build/asan-python/package
# Runs a program of C++ tests, if GoogleTest is there: so many processes have a part of the tests each,
# and their threads sleep while they wait.
run_shards = [ ! -e $(1) ] || seq $(2) | GTEST_TOTAL_SHARDS=$(2) OMP_WAIT_POLICY=passive xargs -P $(2) -I @ \
    sh -c 'GTEST_SHARD_INDEX=$$((@ - 1)) $(1) --gtest_brief=1 > $(1).@.log 2>&1 && tail -n 3 $(1).@.log || \
    { cat $(1).@.log; exit 1; }'
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
export PIP_DISABLE_PIP_VERSION_CHECK = 1
unexport PYTHONPATH PYTHONHOME

PACKAGE := CMakeLists.txt LICENSE pyproject.toml $(shell find csrc cmake python \
    ! -name '*.so' ! -name '*.pyc' ! -name __pycache__)
CPP = $(shell git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh')

help:
	@echo "make demo      install into .venv, solve a real graph, check the answers against SciPy"
	@echo "make check     after a change: builds it, and runs the tests of what changed"
	@echo "make build-times  what compiling takes: units by seconds, templates by their code"
	@echo "make build-budget makes the code of this build what make test allows"
	@echo "make test      the same installation, then the C++ and the Python tests"
	@echo "make test-sdist  installs the source distribution as a user does, and tests that"
	@echo "make test-floors  the Python tests at the lowest versions of NumPy, SciPy and others"
	@echo "make test-networkx  NetworkX's own tests with this package as its backend"
	@echo "make test-distributed  the tests on clusters of Dask and Ray that it starts"
	@echo "make lint      formatting, types, spelling, and the rules of the layout"
	@echo "make types     what mypy and pyright see of the package"
	@echo "make experiments  an article's measurements, repeated: SEED=004 EXPERIMENT='--device cuda'"
	@echo "make laboratory  variants that articles describe, for their experiments on GPUs"
	@echo "make stub      the stubs for type checkers: of the compiled module, and overloads"
	@echo "make bench     every benchmark on this machine; BENCH='--device cuda --suite large'"
	@echo "make rates     the seconds of every method; fits the coefficients of plans to those committed"
	@echo "make regret    the seconds of \"auto\" beside those of the fastest way"
	@echo "make sanitize  the C++ tests under address, undefined-behaviour and thread sanitizers"
	@echo "make sanitize-runtime  the runtime on cores under the thread sanitizer, in two minutes"
	@echo "make sanitize-python  the Python tests and the fuzzer under the first two of these"
	@echo "make fuzz      random calls against other oracles; MINUTES=5 FUZZ='--device cuda --seed 1'"
	@echo "make emulate   the tests of CUDA kernels, run on CPU threads"
	@echo "make faults    every public function while its k-th allocation fails, for every k"
	@echo "make docs      the documentation site, build/docs/html; runs every example in it"
	@echo "make notebooks runs the notebooks and stores what they print and draw"
	@echo "make wheel     dist/*.whl and dist/*.tar.gz, audited, tried without a compiler, and their sums"
	@echo "make compilers what each compiler and CUDA toolkit says; COMPILERS='--only \"GCC 13\"'"
	@echo "make arm64     compiles for arm64, and runs tests and the demo there under emulation"
	@echo "make fresh     make demo, make test and the wheel in bare Debian systems"
	@echo "make tag       the tag of this version, to be released (RELEASING.md)"
	@echo "make clean     remove .venv and build"
	@echo "Variables: PYTHON=$(PYTHON) JOBS=$(JOBS) CUDA=$(WITH_CUDA) (AUTO, ON or OFF)"

demo: $(DONE)/package
	$(BIN)/warpgraph demo

test: $(DONE)/package $(DONE)/test $(DONE)/experiments
	$(BIN)/python scripts/build/build_times.py $(BUILD) --check
	$(BIN)/cmake --build $(BUILD) --target cpp_tests
	@$(call run_shards,$(BUILD)/tests/cpp/cpp_tests,$(if $(GPUS),1,$(JOBS)))
	$(BIN)/python -m pytest -q -n $(JOBS)

# After a change: builds it, and runs the tests of what changed, for three minutes at most. SINCE names
# a revision.
check:
	@[ -e $(DONE)/test ] || $(MAKE) $(DONE)/package $(DONE)/test
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/build/check_changes.py $(BUILD) --jobs $(JOBS) \
	  $(addprefix --since ,$(SINCE))

# What compiling takes, of a clean build: units by seconds, templates by their code.
TIMES := build/times
build-times: $(DONE)/build
	rm -rf $(TIMES)
	$(BIN)/cmake -S . -B $(TIMES) -G Ninja $(MODULE_OPTIONS) -DWARPGRAPH_CUDA=$(WITH_CUDA) \
	  -DWARPGRAPH_MEASURE=ON > /dev/null
	CCACHE_RECACHE=1 $(BIN)/cmake --build $(TIMES) --target _core > $(TIMES)/build.log
	$(BIN)/python scripts/build/build_times.py $(TIMES)

# Makes the code of the last build of the package, with CUDA=ON, the budget that make test compares.
build-budget:
	$(BIN)/python scripts/build/build_times.py $(BUILD) --write

# What a user gets: the source distribution, installed with the default options into an environment
# of its own, and tried there. TESTS names other tests.
USER := build/user
USERS_TESTS = $(or $(TESTS),tests/interface/test_import.py tests/search/test_connected_components.py)
test-sdist: $(DONE)/build $(DONE)/wheel
	rm -rf $(USER)/warpgraph $(USER)/*.tar.gz && mkdir -p $(USER)/warpgraph
	$(BIN)/python -m build --sdist --no-isolation --outdir $(USER) > $(USER)/sdist.log
	tar -xzf $(USER)/*.tar.gz -C $(USER)/warpgraph --strip-components=1
	$(PYTHON) -m venv --clear $(USER)/venv
	$(USER)/venv/bin/python -m pip install -q '$(USER)/warpgraph[test]' \
	  $$($(BIN)/python scripts/python_headers.py $(VENV))
	$(USER)/venv/bin/warpgraph info
	$(USER)/venv/bin/python -m pytest -q -n $(JOBS) $(USERS_TESTS)

# The Python tests, or those named by TESTS, at the lowest versions that pyproject.toml allows.
# NumPy 2.0 has wheels for Python 3.10 to 3.12. Benchmarks measure other libraries as they are now.
test-floors: $(DONE)/floors
	$(FLOORS)/bin/python -m pytest -q -n $(JOBS) --ignore tests/repository/test_benchmarks.py \
	  --ignore tests/repository/test_experiments_page.py $(TESTS)

# Results as type checkers see them: mypy and pyright.
types: $(DONE)/package $(DONE)/test $(DONE)/lint $(DONE)/types
	$(BIN)/python -m pytest -q tests/repository/test_types.py

# NetworkX's own tests with the backend in place of its functions: those of functions that the
# backend has, and all, the rest of which NetworkX computes.
test-networkx: $(DONE)/package $(DONE)/test
	NETWORKX_TEST_BACKEND=warpgraph $(BIN)/python -m pytest -q -c /dev/null \
	  -p no:cacheprovider --pyargs networkx
	NETWORKX_TEST_BACKEND=warpgraph NETWORKX_FALLBACK_TO_NX=True $(BIN)/python -m pytest -q \
	  -c /dev/null -p no:cacheprovider --pyargs networkx

# Clusters of three workers on this machine: Dask, Ray, and Dask over TCP between three network
# namespaces, which needs root and iproute2. Each starts what it needs, and ends it.
test-distributed: $(DONE)/test $(DONE)/distributed
	$(BIN)/python -m pytest -q -m cluster tests/engines/test_distributed_clusters.py
	PYTHONPATH=tests $(BIN)/python tests/engines/network_namespaces.py

fuzz: $(DONE)/package $(DONE)/test
	PYTHONPATH=tests $(BIN)/python -m fuzz --minutes $(MINUTES) --jobs $(JOBS) $(FUZZ)

lint: $(DONE)/lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@echo $(BIN)/clang-format
	@$(BIN)/clang-format --dry-run -Werror $(CPP)
	@echo $(BIN)/codespell
	@$(BIN)/codespell $$(git ls-files ':!*.json' ':!*.ipynb')
	$(BIN)/python scripts/check_layout.py
	$(BIN)/python scripts/stubs/public.py --check
	$(BIN)/python scripts/docstrings/option_docs.py --check
	$(BIN)/python scripts/check_recipe.py
	$(BIN)/check-jsonschema -q --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema -q --builtin-schema vendor.readthedocs .readthedocs.yaml
	$(BIN)/check-jsonschema -q --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/zizmor --offline -q --config .github/zizmor.yml .github/workflows

format: $(DONE)/lint
	$(BIN)/python scripts/docstrings/option_docs.py --write
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CPP)

# An article's experiment: results, tables and pictures in build/experiments. On GPUs, some of its
# variants are in the laboratory, which is all that is made without SEED.
VARIANTS = $(if $(SEED),$(if $(findstring cuda,$(EXPERIMENT)),laboratory),laboratory)
experiments: $(if $(SEED),$(DONE)/bench) $(VARIANTS)
	$(if $(SEED),$(BIN)/python -m benchmarks.experiments.run $(SEED) $(EXPERIMENT))

laboratory: $(DONE)/experiments

stub: $(DONE)/package
	$(BIN)/python scripts/stubs/compiled.py
	$(BIN)/python scripts/stubs/public.py

# The seconds of every method on this machine, in build/rates.json. The coefficients of plans are
# fitted to the rows in benchmarks/rates/measured.
RATES ?= --devices cpu
rates: $(DONE)/package $(DONE)/bench
	$(BIN)/python -m benchmarks.rates.measure build/rates.json $(RATES)
	$(BIN)/python -m benchmarks.rates.fit benchmarks/rates/measured/*.json

# What the choices of "auto" cost beside the fastest way, on inputs that no formula was fitted to.
regret: $(DONE)/package $(DONE)/bench
	$(BIN)/python -m benchmarks.rates.measure build/regret.json --set unseen --auto $(RATES)
	$(BIN)/python -m benchmarks.rates.regret build/regret.json

# The cases of bench_headlines.py are of the others.
BENCHMARKS = $(subst /,.,$(basename $(filter-out %/bench_headlines.py,$(wildcard benchmarks/*/bench_*.py))))
bench: $(DONE)/package $(DONE)/bench
	set -e; for module in $(BENCHMARKS); do $(BIN)/python -m $$module $(BENCH); done
	$(BIN)/python -m benchmarks.report

# All C++ tests, and of the Python tests those that run on a CUDA device; the fuzzer there.
emulate: $(DONE)/test
	$(BIN)/cmake -S . -B $(EMULATED) -G Ninja $(MODULE_OPTIONS) \
	  -DWARPGRAPH_EMULATE_CUDA=ON -DWARPGRAPH_WERROR=ON -DWARPGRAPH_TESTS=ON \
	  -DWARPGRAPH_EXPERIMENTS=ON > /dev/null
	$(BIN)/cmake --build $(EMULATED) --target _core warpgraph_experiments cpp_tests
	@$(BIN)/ctest --test-dir $(EMULATED) --output-on-failure --no-tests=ignore \
	  > $(EMULATED)/ctest.log || { cat $(EMULATED)/ctest.log; exit 1; }
	@tail -3 $(EMULATED)/ctest.log
	PYTHONPATH=$(EMULATED)/package $(BIN)/python -m pytest -q -k cuda
	PYTHONPATH=$(EMULATED)/package:tests $(BIN)/python -m fuzz --device cuda:0 --largest tiles \
	  --minutes $(MINUTES) --jobs $(JOBS) $(FUZZ)

# The Python tests and the fuzzer with the module under the address and undefined-behaviour
# sanitizers. Python itself never frees all that it allocates, so leaks are not looked for.
sanitize-python: $(DONE)/test
	$(BIN)/cmake --preset asan-python $(MODULE_OPTIONS) > /dev/null
	$(BIN)/cmake --build build/asan-python --target _core
	$(SANITIZED) $(BIN)/python -m pytest -q -n $(JOBS) $(TESTS)
	$(SANITIZED):tests $(BIN)/python -m fuzz --minutes $(MINUTES) \
	  --jobs $(JOBS) $(FUZZ)

# The summary, build/faults/allocations.json, says how many allocations each function makes.
faults: $(DONE)/test
	$(BIN)/cmake -S . -B $(FAULTS) -G Ninja $(MODULE_OPTIONS) \
	  -DWARPGRAPH_FAULTS=ON -DWARPGRAPH_CUDA=$(WITH_CUDA) -DWARPGRAPH_WERROR=ON \
	  -DWARPGRAPH_TESTS=ON > /dev/null
	$(BIN)/cmake --build $(FAULTS) --target _core fault_tests
	$(BIN)/ctest --test-dir $(FAULTS) --output-on-failure --no-tests=ignore -L faults
	PYTHONPATH=$(FAULTS)/package WARPGRAPH_FAULTS_SUMMARY=$(FAULTS)/allocations.json \
	  $(BIN)/python -m pytest -q tests/process/test_failing_allocator.py tests/process/test_memory_limit.py \
	  tests/all_pairs/test_apsp_streamed.py

# Warnings are errors, so all pages are read again; notebooks whose code has not changed are not run.
# Then every link must lead somewhere.
docs: $(DONE)/package $(DONE)/docs
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/sphinx-build -q -aEW --keep-going docs build/docs/html
	$(BIN)/python scripts/check_site.py build/docs/html

notebooks: $(DONE)/package $(DONE)/test
	$(BIN)/python scripts/run_notebooks.py

# The wheel of the index for this Python and C library, and the source distribution. With CUDA it is
# compiled by the toolkit from PyPI, for all architectures: half an hour on two cores.
TOOLKIT := build/toolkit
WHEEL_OPTIONS = $(if $(filter OFF,$(CUDA)),cmake.define.WARPGRAPH_CUDA=OFF,cmake.args=-Ccmake/wheel.cmake)
wheel: $(DONE)/build $(DONE)/wheel $(if $(filter OFF,$(CUDA)),,$(DONE)/toolkit)
	rm -rf dist build/wheels build/sdist && mkdir -p build/sdist
	$(BIN)/python -m build --sdist --no-isolation --outdir dist > build/sdist.log
	tar -xzf dist/*.tar.gz -C build/sdist --strip-components=1
	PATH="$(CURDIR)/$(BIN):$$PATH" CUDACXX=$(CURDIR)/$(TOOLKIT)/nvidia/cu13/bin/nvcc \
	  $(BIN)/python -m pip wheel -q --no-deps --no-build-isolation \
	  -C build-dir=build/wheel -C $(WHEEL_OPTIONS) \
	  $$($(BIN)/python scripts/python_headers.py $(VENV)) -w build/wheels build/sdist
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair -w dist build/wheels/*.whl
	$(BIN)/python scripts/try_wheel.py dist/*.whl
	cd dist && sha256sum *.whl *.tar.gz | tee SHA256SUMS

# Each compiler, and each CUDA toolkit: docs/install.md has the table. Needs root and mmdebstrap.
compilers:
	$(PYTHON) scripts/compilers.py $(COMPILERS)

# The commands of the README in bare Debian systems, and the wheel where there is no compiler.
fresh:
	$(PYTHON) scripts/fresh.py $(addprefix --wheel ,$(wildcard dist/*.whl))

# arm64 on x86-64: Debian's cross compiler and QEMU.
arm64: $(DONE)/build
	$(BIN)/python scripts/arm64.py

# Writes the tag of the version in python/warpgraph/_version.py.
tag:
	$(PYTHON) scripts/release/tag_version.py

sanitize: $(DONE)/build
	for preset in asan tsan; do \
	  $(BIN)/cmake --preset $$preset && $(BIN)/cmake --build --preset $$preset && \
	  $(BIN)/ctest --preset $$preset --output-on-failure --progress || exit 1; done

# Endpoints are threads of the C++ library, which every compiler's thread sanitizer knows.
TSAN_RUNTIME = build/tsan-runtime/tests/cpp/runtime_tests
sanitize-runtime: $(DONE)/build
	$(BIN)/cmake --preset tsan-runtime > /dev/null
	$(BIN)/cmake --build --preset tsan-runtime
	@OMP_NUM_THREADS=1; export OMP_NUM_THREADS; $(call run_shards,$(TSAN_RUNTIME),$(JOBS))

clean:
	rm -rf $(VENV) build dist

# The steps of the installation. Each leaves a file in $(DONE) that says when it was last done.

$(DONE)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "warpgraph needs Python 3.10 or later: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade 'pip>=25.1'
	@mkdir -p $(DONE) && touch $@

$(DONE)/toolkit: pyproject.toml $(DONE)/venv
	rm -rf $(TOOLKIT) && $(BIN)/python -m pip install -q --no-deps --target $(TOOLKIT) --group toolkit
	@touch $@

$(DONE)/build $(DONE)/lint $(DONE)/types $(DONE)/wheel: $(DONE)/%: pyproject.toml $(DONE)/venv
	$(BIN)/python -m pip install -q --group $*
	@touch $@

$(DONE)/package: $(PACKAGE) $(DONE)/build
	@echo "Compiling; the first time this takes minutes, with CUDA several.$(LEFT_OUT)"
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install -q $(PACKAGE_OPTIONS) '.[plot,progress]'
	@touch $@

# The laboratory, beside the package that it uses.
$(DONE)/experiments: $(shell find experiments -type f) $(DONE)/package
	$(BIN)/cmake --build $(BUILD) --target warpgraph_experiments > $(BUILD)/experiments.log \
	  || { cat $(BUILD)/experiments.log; exit 1; }
	cp $(BUILD)/experiments/warpgraph_experiments*.so \
	  "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"
	@touch $@

# A cluster of each engine.
$(DONE)/distributed: pyproject.toml | $(DONE)/package
	$(BIN)/python -m pip install -q 'warpgraph[dask,ray]'
	@touch $@

# At the lowest versions that pyproject.toml allows, the same module.
$(DONE)/floors: scripts/floors.py $(DONE)/package
	rm -rf $(FLOORS) && $(BIN)/python -m venv $(FLOORS)
	$(BIN)/python scripts/floors.py > $(FLOORS)/constraints.txt
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip wheel -q --no-deps $(PACKAGE_OPTIONS) \
	  -w $(FLOORS) .
	$(FLOORS)/bin/python -m pip install -q -c $(FLOORS)/constraints.txt \
	  "$$(ls $(FLOORS)/*.whl)[test]"
	@touch $@

# The extras of the package that is installed: nothing is built again for them.
$(DONE)/test $(DONE)/bench $(DONE)/docs: $(DONE)/%: pyproject.toml | $(DONE)/package
	$(BIN)/python -m pip install -q 'warpgraph[$*]'
	@touch $@

.PHONY: help demo check build-times build-budget test test-sdist test-floors test-networkx test-distributed lint types format \
    experiments laboratory stub bench rates regret emulate faults fuzz \
    docs notebooks wheel compilers arm64 fresh tag sanitize sanitize-runtime sanitize-python clean
.DELETE_ON_ERROR:
