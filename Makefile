# Two commands do everything on a fresh Debian 12, Ubuntu 24.04 or newer with python3 and make:
#   make demo    a window with the sample recording, which is tracked and anonymized there; gets a landmark model (2.7 MB)
#   make test    every test
# `make lint`, `make docs`, `make bench`, `make bench-gpu`, `make soak` and others are for developers: see CONTRIBUTING.md.

.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
THREADS ?= 1
# llama-cpp-python is compiled: for any processor of its kind, not for this one alone, because what was made is kept; and
# of llama.cpp only the libraries that the program loads.
export CMAKE_ARGS ?= -DGGML_NATIVE=OFF -DCMAKE_PROJECT_llama.cpp_INCLUDE=$(CURDIR)/.ci/llama.cmake

help:
	@sed -n '2,5s/^# *//p' Makefile

$(VENV)/program.stamp: pyproject.toml constraints.txt .ci/setup .ci/install
	.ci/setup program
	@echo "Getting the packages that Greenroom needs: a minute the first time, and under 1.5 GB on the disk."
	.ci/install --editable .
	touch $@

$(VENV)/tests.stamp: $(VENV)/program.stamp
	.ci/setup tests
	@echo "Getting what the tests need: some four minutes the first time, and 4 GB on the disk. One package is compiled."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch
	.ci/install --editable '.[dev]'
	touch $@

demo: $(VENV)/program.stamp
	$(BIN)/greenroom demo --dir demo --fetch

# Each worker has a processor to itself: threads of libraries would only wait for one another. What Python compiled is
# kept: tests start the program many times, and without that each start costs two seconds more.
test: $(VENV)/tests.stamp
	env -u PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS=$(THREADS) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -q

# The tests nearest to what was changed since the last commit, for under a minute.
test-fast: $(VENV)/tests.stamp
	env -u PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS=$(THREADS) $(BIN)/python -m tools.fast_tests

# The tests in fresh clones, as on other processors, with other libraries' threads, languages, times of day, homes and
# users; CONDITIONS="sse2 avx2 --busy" takes two of them, beside busy loops. Writes the runs into docs/reliability.md.
test-conditions: $(VENV)/tests.stamp
	$(BIN)/python -m tools.test_conditions $(CONDITIONS) --write docs/reliability.md

lint: $(VENV)/tests.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.house

# Lines and modules by root, import cycles, class names that occur twice, folders that are too full.
house: $(VENV)/tests.stamp
	$(BIN)/python -m tools.house

bench: $(VENV)/tests.stamp
	$(BIN)/python -m tools.bench

# Fails where a figure has become worse than in the record of the last version: for a scheduled run.
bench-check: $(VENV)/tests.stamp
	$(BIN)/python -m tools.bench.check

bench-gpu: $(VENV)/tests.stamp
	$(BIN)/python -m tools.bench.gpu

# How each of the kills ended and what came of the cases is written down; docs/reliability.md gets its tables of that.
# Whoever has nothing left takes over from the others: a few files have most of the work.
soak: $(VENV)/tests.stamp
	mkdir -p .bench && rm -f .bench/faults.jsonl .bench/fuzz.jsonl
	env -u PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS=1 \
		GREENROOM_FAULT_LOG=$(CURDIR)/.bench/faults.jsonl GREENROOM_FUZZ_LOG=$(CURDIR)/.bench/fuzz.jsonl \
		$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q \
		-m 'soak or hypothesis' --hypothesis-profile soak -o faulthandler_timeout=1800 tests
	$(BIN)/python -m tests.faults.table .bench/faults.jsonl --write docs/reliability.md
	$(BIN)/python -m tests.fuzz.table .bench/fuzz.jsonl --write docs/reliability.md

# Each mutation of tools/mutations/mutations.tsv is put into a copy of the tree: do the tests kill it?
mutations: $(VENV)/tests.stamp
	$(BIN)/python -m tools.mutations record
	$(BIN)/python -m tools.mutations run --jobs $(WORKERS) --write .bench/mutations/trials.tsv

install-test: $(VENV)/tests.stamp
	.ci/install-test

wheel: $(VENV)/tests.stamp
	.ci/wheel dist

constraints: $(VENV)/tests.stamp
	.ci/constraints

# The documentation as a site, in build/site. A link or an anchor that leads nowhere is an error.
docs: $(VENV)/tests.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# What translators work from: every text of the window.
texts: $(VENV)/tests.stamp
	mkdir -p build
	$(BIN)/pybabel --quiet extract --no-default-keywords -k tr -k trn:1,2 -k later --project Greenroom -o build/greenroom.pot app widgets anonymize project

.PHONY: help house bench-check demo test test-fast test-conditions lint bench bench-gpu soak mutations install-test wheel constraints docs texts
