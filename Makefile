# Two commands do everything on a fresh Debian 12, Ubuntu 24.04 or newer with python3 and make:
#   make demo    a window with the sample recording, tracked and anonymized; gets a landmark model (2.7 MB)
#   make test    every test
# `make lint`, `make bench`, `make bench-gpu`, `make soak` and `make wheel-test` are for developers.

.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
WORKERS ?= 2
# pip compiles llama-cpp-python, and keeps what it made: for any processor of its kind, not for this one alone.
export CMAKE_ARGS ?= -DGGML_NATIVE=OFF

help:
	@sed -n '2,5s/^# *//p' Makefile

$(VENV)/program.stamp: pyproject.toml constraints.txt .ci/setup
	.ci/setup program
	$(PIP) --editable .
	touch $@

$(VENV)/tests.stamp: $(VENV)/program.stamp
	.ci/setup tests
	$(PIP) --editable '.[dev]'
	touch $@

demo: $(VENV)/program.stamp
	$(BIN)/greenroom demo --dir demo --fetch

# Each worker has a processor to itself: threads of libraries would only wait for one another. What Python compiled is
# kept: tests start the program many times, and without that each start costs two seconds more.
test: $(VENV)/tests.stamp
	env -u PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -q

lint: $(VENV)/tests.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/tests.stamp
	$(BIN)/python -m tests.bench

bench-gpu: $(VENV)/tests.stamp
	$(BIN)/python -m tests.bench.gpu

soak: $(VENV)/tests.stamp
	$(BIN)/python -m pytest -q -m 'soak or hypothesis' --hypothesis-profile soak tests

wheel-test: $(VENV)/tests.stamp
	.ci/wheel-test

.PHONY: help demo test lint bench bench-gpu soak wheel-test
