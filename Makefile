# A thin front to the CMake presets; `make help` lists the targets.
SHELL := /bin/bash
PRESET ?= release
BUILD := build/$(PRESET)
PYTHON := build/venv/bin/python
FUZZ_SECONDS ?= 600
COUNT ?= 2000
MISMATCHES ?= 200
FIRST ?= 100000
.DEFAULT_GOAL := help
.PHONY: help setup configure build check check-without check-models demo lint lint-fast format install fuzz tsan differential bench blocks bench-placement docs clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

setup: ## Install the Debian packages and the Python environment (root or sudo)
	@scripts/setup.sh

configure: setup
	@[ -f $(BUILD)/build.ninja ] || cmake --preset $(PRESET)

build: configure ## Build everything; leaves build/release/bin/tessera and tessera-opt
	@cmake --build --preset $(PRESET)

check: build ## Build, then run every test and the fast part of lint
	@$(PYTHON) scripts/check.py --build-dir $(BUILD)

check-without: configure ## Build and test the tree without one backend, which changes with each commit
	@$(PYTHON) scripts/check_without_backend.py --build-dir $(BUILD)

check-models: build ## Run every network of the model folder (TESSERA_MODELS), minutes
	@$(PYTHON) tests/e2e/models_test.py --tool $(BUILD)/bin/tessera --cache build/models --list all
	@$(PYTHON) tests/e2e/models_test.py --tool $(BUILD)/bin/tessera --cache build/models --list all --in-front
	@$(PYTHON) tests/e2e/network_memory_test.py --tool $(BUILD)/bin/tessera --probe $(BUILD)/tests/tessera_memory_probe \
	  --cache build/models --list all

demo: configure ## Train a small classifier, compile it, run it on pictures; builds the tool and the runtime only
	@cmake --build --preset $(PRESET) --target tessera tessera_runtime
	@scripts/demo.sh $(BUILD)

lint: configure ## Every static check, clang-tidy on changed files included
	@$(PYTHON) scripts/lint.py --tidy $(BUILD)

lint-fast: setup ## The static checks that take seconds
	@$(PYTHON) scripts/lint.py

format: setup ## Rewrite the C++ sources in the project's format
	@$(PYTHON) scripts/check_format.py --fix

install: build ## Install to PREFIX (default build/install)
	@cmake --install $(BUILD) --prefix $(or $(PREFIX),build/install)

fuzz: setup ## Fuzz each reader of outside bytes for FUZZ_SECONDS (600)
	@cmake --preset fuzz && cmake --build --preset fuzz --target tessera_fuzzers
	@$(PYTHON) tests/fuzz/run_fuzzers.py --build-dir build/fuzz --seconds $(FUZZ_SECONDS)

tsan: build ## Race detection in the runtime and the backends' runtime halves, over artifacts of every backend
	@cmake --preset tsan && cmake --build --preset tsan --target tessera_tsan_tests
	@ctest --test-dir build/tsan -L tsan --output-on-failure
	@$(PYTHON) tests/threads/threads_test.py --tool $(BUILD)/bin/tessera --probe build/tsan/tests/tessera_threads_probe

differential: build ## COUNT random graphs and MISMATCHES inputs that do not fit, against ONNX Runtime
	@$(PYTHON) tests/differential/differential.py --tool $(BUILD)/bin/tessera --found $(BUILD)/differential --first $(FIRST) --count $(COUNT)
	@$(PYTHON) tests/differential/differential.py --tool $(BUILD)/bin/tessera --found $(BUILD)/differential --first $(FIRST) --count $(MISMATCHES) --mismatches

bench: build ## Run the benchmarks, and networks beside ONNX Runtime, OpenVINO and what the machine can do at most; half an hour
	@$(PYTHON) scripts/bench.py --build-dir $(BUILD)
	@$(PYTHON) bench/speed/speed.py --build-dir $(BUILD)

blocks: build ## The same for building blocks of networks (TESSERA_BLOCKS: the program that writes them)
	@$(PYTHON) bench/speed/speed.py --build-dir $(BUILD) --blocks

bench-placement: build ## What measured placement makes of real networks, hours
	@$(PYTHON) bench/placement/results.py --build-dir $(BUILD)

docs: build ## Write the generated references to build/docs
	@$(PYTHON) scripts/generate_docs.py --build-dir $(BUILD) --output build/docs

clean: ## Remove the build trees, keep the Python environment
	@rm -rf $(filter-out build/venv build/models,$(wildcard build/*))
